// The groups in which nodes are compared: their blocks, if these are large enough to compare the
// nodes of each.
#pragma once

#include <map>
#include <vector>

#include "nccl-tests/scan_plan.h"

namespace slipway::bandwidth {

class ScanGroups {
 public:
  explicit ScanGroups(const std::vector<ScanNode>& nodes);

  // The group of a node: its block, or `mixed` if its block has too few nodes.
  int of(int node) const { return of_[static_cast<size_t>(node)]; }
  bool crosses(Pair pair) const { return of(pair.a) != of(pair.b); }
  // 0 for a pair of one block, 1 across blocks, for pairs of nodes of `mixed` 2 and 3.
  int kind(Pair pair) const;
  // Pairs of nodes of one group.
  int64_t pairs_inside() const;
  // The groups that are blocks; their uplinks are compared if there are at least three.
  const std::vector<int>& blocks() const { return blocks_; }

  static constexpr int mixed = -1;

 private:
  const std::vector<ScanNode>& nodes_;
  std::vector<int> of_;
  std::vector<int> blocks_;
  std::map<int, int64_t> sizes_;
};

}  // namespace slipway::bandwidth
