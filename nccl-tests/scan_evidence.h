// What the pairs of a scan say of each node, relative to all others.
#pragma once

#include <optional>
#include <vector>

#include "nccl-tests/scan_plan.h"

namespace slipway::bandwidth {

// One measured pair, as one of its nodes sees it.
struct Seen {
  int partner = 0;
  bool crosses = false;  // the pair is of two blocks
  double relative = 0;   // to pairs of good nodes, across blocks or inside; 0 where it failed
  bool failed = false;
};

class Evidence {
 public:
  Evidence(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
           const ScanSettings& settings);

  const std::vector<Seen>& of(int node) const { return seen_[static_cast<size_t>(node)]; }

  // What is below it is low beyond doubt: by the least drop, and by what noise does not do.
  double low() const { return low_; }
  // What is above it is good.
  double good() const { return good_; }

  // Every pair of it, in its own block where there are such, is less than good.
  bool is_suspect(int node) const;
  bool is_good(int node) const;  // has been seen, and is no suspect
  // The mean over the pairs with partners that are no suspects themselves; over all, without any.
  std::optional<double> estimate(int node) const;

  // Pairs of one block that were low each time, while both ends are good.
  std::vector<Pair> suspect_links() const;
  // Blocks whose pairs with other blocks were all low, while their nodes are good.
  std::vector<int> suspect_blocks() const;
  std::vector<double> relatives(Pair pair) const;

 private:
  const std::vector<ScanNode>& nodes_;
  std::vector<std::vector<Seen>> seen_;
  double low_ = 0, good_ = 0;
};

}  // namespace slipway::bandwidth
