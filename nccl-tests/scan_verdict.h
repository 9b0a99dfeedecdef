// The findings of a scan: slow nodes, links and blocks, each with its evidence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nccl-tests/scan_plan.h"

namespace slipway::bandwidth {

struct Finding {
  enum class What {
    node,
    link,
    block,
    cluster,       // all of it is slower than its machine type is known to be
    too_noisy,     // the scan cannot tell the drop to find from noise
    inconclusive,  // something is odd, and the pairs do not say what
  };
  What what = What::node;
  std::vector<int> nodes;  // the nodes concerned; empty for a block
  std::string text;        // "node n-3: 21 % below the others (pairs with n-1, n-7, …)"
  std::string reason;      // for Slurm, if it is a node: "21 % below the median of 16 nodes"
};

std::vector<Finding> findings(const std::vector<ScanNode>& nodes,
                              const std::vector<PairResult>& results, const ScanSettings& settings);

std::string_view to_string(Finding::What what);

// What the scan could see: the noise of pairs, the drop that it shows, and the pairs inside blocks
// that were measured. Lines.
std::string power_text(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
                       const ScanSettings& settings);

// The command that would drain a node; it is printed, never run:
// scontrol update NodeName=n-3 State=DRAIN Reason="bandwidth scan: …"
std::string drain_line(const std::string& node, const std::string& reason);

}  // namespace slipway::bandwidth
