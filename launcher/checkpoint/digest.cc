// Digests by libxxhash.
#include "launcher/checkpoint/digest.h"

#include <xxhash.h>

#include <new>

#include "launcher/checkpoint/messages.h"

namespace slipway::checkpoint {

static_assert(sizeof(XXH128_canonical_t) == digest_bytes);

void Digest::Free::operator()(XXH3_state_s* state) const {
  XXH3_freeState(state);
}

Digest::Digest() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_128bits_reset(state_.get());
}

void Digest::add(std::string_view bytes) {
  XXH3_128bits_update(state_.get(), bytes.data(), bytes.size());
}

std::string Digest::take() {
  XXH128_canonical_t digest;
  XXH128_canonicalFromHash(&digest, XXH3_128bits_digest(state_.get()));
  XXH3_128bits_reset(state_.get());
  return {reinterpret_cast<const char*>(digest.digest), sizeof digest.digest};
}

}  // namespace slipway::checkpoint
