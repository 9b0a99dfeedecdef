// all_reduce of small messages in the backend tcp: recursive doubling.
//
// In step k, ranks whose numbers differ in bit k exchange what they have and reduce it. The ranks
// above the largest power of two give their data to a neighbor first, and get the result at the
// end.
#include "nccl-tests/small_reduce.h"

#include <algorithm>
#include <bit>

#include "nccl-tests/flow.h"

namespace slipway::bandwidth {
namespace {

// For two ranks and for more: docs/background/bandwidth-measurements.md. Two ranks send as much by
// doubling as around a ring, in half the steps; the more ranks there are, the more doubling sends.
constexpr int64_t most_bytes_of_two = 256 << 10, most_bytes_of_many = 64 << 10;

// The ranks, of which the first `paired` share a place in the doubling by twos.
struct Doubling {
  int size = 1;  // a power of two
  int paired = 0;

  explicit Doubling(int ranks)
      : size(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        paired(2 * (ranks - size)) {}

  int place_of(int rank) const { return rank < paired ? rank / 2 : rank - paired / 2; }
  int rank_at(int place) const { return place < paired / 2 ? 2 * place : place + paired / 2; }
  bool gives_away(int rank) const { return rank < paired && rank % 2 == 1; }
  bool takes_over(int rank) const { return rank < paired && rank % 2 == 0; }
};

}  // namespace

bool is_small_reduce(const Operation& op, int ranks) {
  if (op.kind != Kind::all_reduce || ranks < 2) return false;
  return op.block_bytes() <= (ranks == 2 ? most_bytes_of_two : most_bytes_of_many);
}

std::vector<int> partners_of(const Place& place) {
  const Doubling doubling(place.size);
  if (doubling.gives_away(place.rank)) return {place.rank - 1};
  std::vector<int> partners;
  if (doubling.takes_over(place.rank)) partners.push_back(place.rank + 1);
  const int own = doubling.place_of(place.rank);
  for (int bit = 1; bit < doubling.size; bit *= 2) partners.push_back(doubling.rank_at(own ^ bit));
  return partners;
}

void reduce_small(const Operation& op, const Place& place, std::span<std::byte> arrival,
                  const std::function<int(int rank)>& socket_to) {
  const int64_t bytes = op.block_bytes();
  if (bytes == 0) return;
  const Doubling doubling(place.size);
  if (doubling.gives_away(place.rank)) {
    const int socket = socket_to(place.rank - 1);
    swap_with(socket, op.send, bytes, nullptr, 0);
    swap_with(socket, nullptr, 0, op.receive, bytes);
    return;
  }
  // What this rank has so far: at first its own data, which stays where it is.
  const std::byte* have = op.send;
  const auto exchange_and_reduce = [&](int partner, int64_t sent_bytes) {
    int64_t reduced = 0;
    // Elements that have arrived, and whose own part is on its way and may be overwritten.
    const auto reduce = [&](int64_t sent, int64_t got) {
      const int64_t both = sent_bytes == 0 ? got : std::min(sent, got);
      const int64_t count = (both - reduced) / op.type.bytes;
      reduce_two(op.type, op.reduction, arrival.data() + reduced, have + reduced,
                 op.receive + reduced, count);
      reduced += count * op.type.bytes;
    };
    swap_with(socket_to(partner), have, sent_bytes, arrival.data(), bytes, reduce);
    have = op.receive;
  };
  if (doubling.takes_over(place.rank)) exchange_and_reduce(place.rank + 1, 0);
  const int own = doubling.place_of(place.rank);
  for (int bit = 1; bit < doubling.size; bit *= 2)
    exchange_and_reduce(doubling.rank_at(own ^ bit), bytes);
  if (doubling.takes_over(place.rank))
    swap_with(socket_to(place.rank + 1), op.receive, bytes, nullptr, 0);
}

}  // namespace slipway::bandwidth
