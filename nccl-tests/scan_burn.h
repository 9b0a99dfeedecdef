// The burn of a scan's nodes: who burns which GPUs, and what it found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nccl-tests/scan_plan.h"
#include "nccl-tests/scan_verdict.h"

namespace slipway::bandwidth {

// The task of a process that burns these GPUs: "burn=10;0000:04:00.0,0000:05:00.0", one word.
struct BurnTask {
  double seconds = 0;
  std::vector<std::string> buses;
};
std::string to_task(const BurnTask& task);
// Empty for other tasks. Throws Error if it is not what was sent.
std::optional<BurnTask> parse_burn_task(const std::string& task);

// Each GPU of a node goes to the first of its ranks that sees it: `seen` has the bus IDs that each
// rank sees. Ranks without a GPU of their own get none.
std::vector<std::vector<std::string>> share_gpus(const std::vector<std::vector<std::string>>& seen);

// Adds what the burn found to the findings of pairs: a node that both name is named once.
void add_burn(const ScanBurn& burn, const std::vector<ScanNode>& nodes, double detect,
              std::vector<Finding>& found);

// "GPU burn: 16 GPUs of 2 nodes computed for 10 s", and what has no GPUs. Lines.
std::string burn_text(const ScanBurn& burn, const std::vector<ScanNode>& nodes);

}  // namespace slipway::bandwidth
