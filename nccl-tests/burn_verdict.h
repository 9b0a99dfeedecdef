// Which GPUs of a burn compute wrong, fail, or are slower than their equals.
#pragma once

#include <string>
#include <vector>

#include "nccl-tests/gpu_burn.h"

namespace slipway::bandwidth {

// What the GPUs of one node did.
struct NodeBurn {
  int node = 0;             // index into the list of nodes
  std::string missing;      // why nothing was burned: no GPU, no answer
  bool has_failed = false;  // `missing` is a failure, and not a node without GPUs
  std::vector<BurnedGpu> gpus;
};

struct BurnFinding {
  int node = 0;
  std::string text;  // "GPU 3 (0000:07:00.0) computed wrong results in 2 of 37 repetitions"
};

// A GPU is compared with the others of its model: those of its own node, and those of all nodes. It
// is slow if it is slower by `detect` than the median of either.
std::vector<BurnFinding> judge_burn(const std::vector<NodeBurn>& nodes, double detect);

// What was burned: "16 GPUs of 2 nodes".
std::string burned_text(const std::vector<NodeBurn>& nodes);

}  // namespace slipway::bandwidth
