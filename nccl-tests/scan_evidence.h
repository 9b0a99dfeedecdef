// The evidence that the pairs of a scan give for each node, relative to all others.
#pragma once

#include <optional>
#include <vector>

#include "nccl-tests/scan_plan.h"

namespace slipway::bandwidth {

// One measured pair from the view of one of its nodes.
struct Seen {
  int partner = 0;
  bool crosses = false;  // the pair crosses blocks
  double relative = 0;   // to pairs of good nodes, across blocks or inside; 0 where it failed
  bool failed = false;
};

class Evidence {
 public:
  Evidence(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
           const ScanSettings& settings);

  const std::vector<Seen>& of(int node) const { return seen_[static_cast<size_t>(node)]; }

  // Values below are low beyond doubt: by at least the least drop, and by more than noise explains.
  double low() const { return low_; }
  // Values above are good.
  double good() const { return good_; }

  // True if every pair of the node (inside its block, if there are any) is less than good.
  bool is_suspect(int node) const;
  bool is_good(int node) const;  // measured, and not a suspect
  // The mean over the pairs whose partner is not a suspect, or over all if there are none.
  std::optional<double> estimate(int node) const;

  // Pairs inside a block that were low every time, although both ends are good.
  std::vector<Pair> suspect_links() const;
  // Blocks whose pairs with other blocks were all low, although their nodes are good.
  std::vector<int> suspect_blocks() const;
  std::vector<double> relatives(Pair pair) const;

 private:
  const std::vector<ScanNode>& nodes_;
  std::vector<std::vector<Seen>> seen_;
  double low_ = 0, good_ = 0;
};

}  // namespace slipway::bandwidth
