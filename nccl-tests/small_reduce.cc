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

// For two ranks and for more: docs/background/measurements.md. Two ranks send as much by doubling
// as around a ring, in half the steps; the more ranks there are, the more doubling sends.
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
  if (op.receive != op.send) std::copy_n(op.send, bytes, op.receive);
  if (doubling.gives_away(place.rank)) {
    const int socket = socket_to(place.rank - 1);
    swap_with(socket, op.receive, bytes, nullptr, 0);
    swap_with(socket, nullptr, 0, op.receive, bytes);
    return;
  }
  const auto reduce = [&] {
    reduce_into(op.type, op.reduction, arrival.data(), op.receive, op.count);
  };
  if (doubling.takes_over(place.rank)) {
    swap_with(socket_to(place.rank + 1), nullptr, 0, arrival.data(), bytes);
    reduce();
  }
  const int own = doubling.place_of(place.rank);
  for (int bit = 1; bit < doubling.size; bit *= 2) {
    swap_with(socket_to(doubling.rank_at(own ^ bit)), op.receive, bytes, arrival.data(), bytes);
    reduce();
  }
  if (doubling.takes_over(place.rank))
    swap_with(socket_to(place.rank + 1), op.receive, bytes, nullptr, 0);
}

}  // namespace slipway::bandwidth
