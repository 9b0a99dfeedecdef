// One health check of this node, from the options to what Slurm is told.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "launcher/health/judge.h"

namespace slipway::health {

struct LookOptions {
  Stage stage = Stage::manual;
  bool act = false;               // tell Slurm
  std::filesystem::path state;    // a folder that is kept between checks; empty: none
  std::filesystem::path profile;  // node.json
  std::string job;                // whose prolog or epilog this is; may be empty
  std::optional<std::set<unsigned>> job_gpus;
  std::optional<uid_t> job_user;  // before a job: its user, who may leave reports from then on
};

struct LookResult {
  Verdict verdict;
  bool job_may_start = true;   // false: the node is unfit, and drained if we act
  bool job_has_ended = false;  // and so its prolog need not fail
};

// Throws Error when the node cannot be checked: then nothing was done. Ends within the stage's
// deadline.
LookResult look_at_node(const LookOptions& options, Policy policy);

// "0,2-3" of SLURM_JOB_GPUS.
std::set<unsigned> parse_gpu_list(std::string_view text);

}  // namespace slipway::health
