// The rounds of a scan before anything is known: who meets whom, so that no two meet twice before
// everybody has met.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "nccl-tests/scan_groups.h"

namespace slipway::bandwidth {

// The nodes of each group in an order that depends on the seed alone.
class ScanOrder {
 public:
  ScanOrder(const std::vector<ScanNode>& nodes, const ScanGroups& groups,
            const ScanSettings& settings);

  const std::map<int, std::vector<int>>& groups() const { return members_; }

  // Round `number` of a tournament in each group (the circle method); nodes without a partner in
  // their group are paired with each other.
  Round inside(int number) const;
  // Round `number` of a tournament of the blocks, in which each node of a block meets a node of a
  // different block.
  Round across(int number) const;

 private:
  std::map<int, std::vector<int>> members_, hosts_;  // with guests, and without
};

}  // namespace slipway::bandwidth
