// Runs one health check of this node, from reading the machine to updating Slurm.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "common/node_profile.h"
#include "launcher/health/judge.h"

namespace slipway::health {

struct CheckOptions {
  Stage stage = Stage::manual;
  bool act = false;               // update Slurm
  std::filesystem::path state;    // the folder for state between checks; empty: none
  std::filesystem::path profile;  // node.json
  std::optional<NodeProfile> described;  // by itself, for `manual` checks without a node.json
  std::string job;                // the job of the prolog or epilog; may be empty
  std::optional<std::set<unsigned>> job_gpus;
  std::optional<uid_t> job_user;  // in a prolog: the job's user, who may leave reports from then on
};

struct CheckOutcome {
  Verdict verdict;
  bool job_may_start = true;   // false: the node is unfit and, with `act`, drained
  bool job_has_ended = false;  // so its prolog does not have to fail
};

// Throws Error if the node cannot be checked; nothing has happened then. Ends within the stage's
// deadline.
CheckOutcome check_node(const CheckOptions& options, Policy policy);

// Parses SLURM_JOB_GPUS, such as "0,2-3".
std::set<unsigned> parse_gpu_list(std::string_view text);

}  // namespace slipway::health
