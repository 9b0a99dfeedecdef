// Digests of what checkpoints contain: 128 bits of XXH3, which find whatever changed by accident as
// fast as memory is read. docs/decisions/0251-digests-against-accidents.md says why no more is
// needed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace slipway::checkpoint {

class Digest {
 public:
  Digest();
  void add(std::string_view bytes);
  // The digest of everything since the last call.
  std::string take();

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace slipway::checkpoint
