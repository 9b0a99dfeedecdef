// What is wrong with a node or a job for its transport, told before the tasks start.
#pragma once

#include <string>
#include <vector>

#include "spank-plugins/nccl_env/node_facts.h"
#include "spank-plugins/nccl_env/resolve.h"

namespace slipway::nccl_env {

struct Finding {
  std::string text;
  bool fatal = false;       // it cannot work: the job ends
  bool everywhere = false;  // every node of the step finds the same: one tells it
};

// `several_nodes` jobs use the transport, others only the node. `digest_of_submission` is that of
// the machine where srun ran, or empty.
struct PreflightJob {
  bool several_nodes = false;
  std::string digest_of_submission;
};

std::vector<Finding> judge(const NodeProfile& profile, const NodeFacts& facts,
                           const Environment& environment, const std::vector<Advice>& advice,
                           const PreflightJob& job);

// -1, 0 or 1, as versions are compared: number by number. "2.28" is below "2.28.7".
int compare_versions(std::string_view a, std::string_view b);

}  // namespace slipway::nccl_env
