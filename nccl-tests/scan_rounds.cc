// The rounds of a scan before anything is known.
#include "nccl-tests/scan_rounds.h"

#include <algorithm>
#include <numeric>

namespace slipway::bandwidth {
namespace {

uint64_t next_random(uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;  // splitmix64, as in the data of the checked runs
  uint64_t x = state;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// Fisher and Yates. std::shuffle would give different orders with different standard libraries.
std::vector<int> shuffled(std::vector<int> order, uint64_t seed) {
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[next_random(seed) % i]);
  }
  return order;
}

// Whom `place` of `size` (even) meets in this round of a tournament: all form a circle around
// the last one, and meet those at the same distance from place `number`.
size_t opponent(size_t place, size_t size, size_t number) {
  const size_t circle = size - 1, turn = number % circle;
  if (place == circle) return turn;
  const size_t other = (2 * turn + circle - place) % circle;
  return other == place ? circle : other;
}

size_t even(size_t size) {
  return size + size % 2;
}

}  // namespace

ScanOrder::ScanOrder(const std::vector<ScanNode>& nodes, const ScanGroups& groups,
                     const ScanSettings& settings) {
  std::vector<int> order(nodes.size());
  std::iota(order.begin(), order.end(), 0);
  for (const int node : shuffled(order, settings.seed)) {
    if (settings.lost.contains(node)) continue;
    members_[groups.of(node)].push_back(node);
    if (!groups.is_guest(node)) hosts_[groups.of(node)].push_back(node);
  }
}

Round ScanOrder::inside(int number) const {
  Round round;
  std::vector<int> left;
  for (const auto& [group, members] : members_) {
    const size_t size = even(members.size());
    for (size_t place = 0; place < members.size(); ++place) {
      const size_t other = opponent(place, size, static_cast<size_t>(number));
      if (other >= members.size()) left.push_back(members[place]);
      if (other < members.size() && place < other)
        round.push_back({members[place], members[other]});
    }
  }
  for (size_t i = 0; i + 1 < left.size(); i += 2) round.push_back({left[i], left[i + 1]});
  return round;
}

Round ScanOrder::across(int number) const {
  std::vector<const std::vector<int>*> blocks;
  for (const auto& [group, members] : hosts_) {
    if (group != ScanGroups::mixed) blocks.push_back(&members);
  }
  Round round;
  const size_t size = even(blocks.size());
  for (size_t block = 0; block < blocks.size(); ++block) {
    const auto& members = *blocks[block];
    for (size_t place = 0; place < members.size(); ++place) {
      // Each place of the blocks plays a different round of the tournament.
      const size_t other = opponent(block, size, static_cast<size_t>(number) + place);
      if (other <= block || other >= blocks.size() || place >= blocks[other]->size()) continue;
      round.push_back({members[place], (*blocks[other])[place]});
    }
  }
  return round;
}

}  // namespace slipway::bandwidth
