// One look at this node, from what it is told to what Slurm is told.
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
  std::filesystem::path state;    // a folder that is kept from look to look; empty: none
  std::filesystem::path profile;  // node.json
  std::string job;                // whose prolog or epilog this is; may be empty
  std::optional<std::set<unsigned>> job_gpus;
  std::optional<uid_t> job_user;  // before a job: whose it is; he may leave reports from then on
};

struct LookResult {
  Verdict verdict;
  bool job_may_start = true;   // false: the node is unfit, and drained if we act
  bool job_has_ended = false;  // and so its prolog need not fail
};

// Throws Error when the node cannot be looked at: then nothing was done. Ends within the stage's
// deadline.
LookResult look_at_node(const LookOptions& options, Policy policy);

// "0,2-3" of SLURM_JOB_GPUS.
std::set<unsigned> parse_gpu_list(std::string_view text);

}  // namespace slipway::health
