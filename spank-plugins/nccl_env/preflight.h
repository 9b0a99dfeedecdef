// Finds problems of a node or a job that would break its transport, before the tasks start.
#pragma once

#include <string>
#include <vector>

#include "spank-plugins/nccl_env/node_facts.h"
#include "spank-plugins/nccl_env/resolve.h"

namespace slipway::nccl_env {

struct Finding {
  std::string text;
  bool fatal = false;       // it cannot work: the job ends
  bool everywhere = false;  // every node of the step finds the same: only one reports it
};

// Jobs with `several_nodes` use the transport, others do not. `digest_of_submission` is the digest
// of the transport libraries on the machine where srun ran; may be empty.
struct PreflightJob {
  bool several_nodes = false;
  std::string digest_of_submission;
};

std::vector<Finding> judge(const NodeProfile& profile, const NodeFacts& facts,
                           const Environment& environment, const std::vector<Advice>& advice,
                           const PreflightJob& job);

// Compares versions number by number: -1, 0 or 1. "2.28" is below "2.28.7".
int compare_versions(std::string_view a, std::string_view b);

}  // namespace slipway::nccl_env
