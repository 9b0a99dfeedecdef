// The groups in which nodes are compared.
#include "nccl-tests/scan_groups.h"

#include <algorithm>

namespace slipway::bandwidth {
namespace {

// In a smaller block, a slow node spoils the pairs of all others.
constexpr int64_t least_nodes_of_block = 4;

}  // namespace

ScanGroups::ScanGroups(const std::vector<ScanNode>& nodes) : nodes_(nodes) {
  std::map<int, int64_t> blocks;
  for (const ScanNode& node : nodes) ++blocks[node.block];
  for (const ScanNode& node : nodes) {
    const bool large = blocks[node.block] >= least_nodes_of_block || blocks.size() == 1;
    of_.push_back(large ? node.block : mixed);
    ++sizes_[of_.back()];
  }
  // A few nodes have nobody to be compared with among themselves.
  const auto largest = std::ranges::max_element(
      blocks, {}, [](const std::pair<const int, int64_t>& block) { return block.second; });
  has_guests_ = sizes_.contains(mixed) && sizes_[mixed] < least_nodes_of_block &&
                blocks.size() > 1 && largest->second >= least_nodes_of_block;
  for (const int group : of_) guests_.push_back(has_guests_ && group == mixed);
  if (has_guests_) {
    std::ranges::replace(of_, mixed, largest->first);
    sizes_[largest->first] += sizes_[mixed];
    sizes_.erase(mixed);
  }
  for (const auto& [group, size] : sizes_) {
    if (group != mixed) blocks_.push_back(group);
  }
}

int ScanGroups::kind(Pair pair) const {
  if (crosses(pair)) return 1;
  const bool one_block =
      nodes_[static_cast<size_t>(pair.a)].block == nodes_[static_cast<size_t>(pair.b)].block;
  // With a single block beside them, nothing else says what is normal across.
  if (of(pair.a) != mixed) return one_block || blocks_.size() < 2 ? 0 : 1;
  return one_block ? 2 : 3;
}

int64_t ScanGroups::pairs_inside() const {
  int64_t pairs = 0;
  for (const auto& [group, size] : sizes_) pairs += size * (size - 1) / 2;
  return pairs;
}

}  // namespace slipway::bandwidth
