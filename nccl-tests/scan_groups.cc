// The groups in which nodes are compared.
#include "nccl-tests/scan_groups.h"

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
  for (const auto& [group, size] : sizes_) {
    if (group != mixed) blocks_.push_back(group);
  }
}

int ScanGroups::kind(Pair pair) const {
  if (crosses(pair)) return 1;
  if (of(pair.a) != mixed) return 0;
  const int a = nodes_[static_cast<size_t>(pair.a)].block;
  return a == nodes_[static_cast<size_t>(pair.b)].block ? 2 : 3;
}

int64_t ScanGroups::pairs_inside() const {
  int64_t pairs = 0;
  for (const auto& [group, size] : sizes_) pairs += size * (size - 1) / 2;
  return pairs;
}

}  // namespace slipway::bandwidth
