// The groups in which nodes are compared: their blocks, if these are large enough to compare the
// nodes of each. The nodes of small blocks are a group together or, if they are few, guests of the
// largest block.
#pragma once

#include <map>
#include <vector>

#include "nccl-tests/scan_plan.h"

namespace slipway::bandwidth {

class ScanGroups {
 public:
  explicit ScanGroups(const std::vector<ScanNode>& nodes);

  // The group of a node: its block or, if its block has too few nodes, `mixed` or a block that it
  // is a guest of.
  int of(int node) const { return of_[static_cast<size_t>(node)]; }
  bool is_guest(int node) const { return guests_[static_cast<size_t>(node)]; }
  bool has_guests() const { return has_guests_; }
  bool crosses(Pair pair) const { return of(pair.a) != of(pair.b); }
  // 0 for a pair of one block, 1 across blocks or with a guest, for pairs of nodes of `mixed` 2 and
  // 3.
  int kind(Pair pair) const;
  // Pairs of nodes of one group.
  int64_t pairs_inside() const;
  // The groups that are blocks; their uplinks are compared if there are at least three.
  const std::vector<int>& blocks() const { return blocks_; }

  static constexpr int mixed = -1;

 private:
  const std::vector<ScanNode>& nodes_;
  std::vector<int> of_;
  std::vector<char> guests_;
  bool has_guests_ = false;
  std::vector<int> blocks_;
  std::map<int, int64_t> sizes_;
};

}  // namespace slipway::bandwidth
