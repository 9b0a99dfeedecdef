// all_gather of small messages in the backend tcp: Bruck's algorithm (Bruck, Ho, Kipnis, Upfal,
// Weathersby, 1997).
//
// In each step, a rank has the blocks of some ranks beginning with itself. It gets as many again
// from the rank that follows them, and gives its own to the rank that lacks them.
#include "nccl-tests/small_gather.h"

#include <algorithm>

#include "nccl-tests/flow.h"

namespace slipway::bandwidth {
namespace {

// Of each rank. Beyond it, a ring is as fast, and its blocks arrive in their places:
// docs/background/bandwidth-measurements.md.
constexpr int64_t most_block_bytes = 4 << 10;

struct Partners {
  int to, from;
};

Partners partners_at(const Place& place, int distance) {
  return {(place.rank - distance + place.size) % place.size, (place.rank + distance) % place.size};
}

}  // namespace

bool is_small_gather(const Operation& op, int ranks) {
  return op.kind == Kind::all_gather && ranks > 1 && op.block_bytes() <= most_block_bytes;
}

std::vector<int> gather_partners_of(const Place& place) {
  std::vector<int> partners;
  for (int distance = 1; distance < place.size; distance *= 2) {
    const Partners pair = partners_at(place, distance);
    partners.push_back(pair.to);
    partners.push_back(pair.from);
  }
  return partners;
}

void gather_small(const Operation& op, const Place& place, std::span<std::byte> scratch,
                  const std::function<int(int rank)>& socket_to) {
  const int64_t block = op.block_bytes();
  if (block == 0) return;
  std::byte* const blocks = scratch.data();  // of this rank, the next one, and so on around
  std::copy_n(op.send, block, blocks);
  for (int have = 1; have < place.size; have *= 2) {
    const Partners pair = partners_at(place, have);
    const int64_t bytes = std::min(have, place.size - have) * block;
    move_between(socket_to(pair.to), blocks, bytes, socket_to(pair.from), blocks + have * block,
                 bytes);
  }
  const int64_t before_end = (place.size - place.rank) * block;
  std::copy_n(blocks, before_end, op.receive + place.rank * block);
  std::copy_n(blocks + before_end, place.rank * block, op.receive);
}

}  // namespace slipway::bandwidth
