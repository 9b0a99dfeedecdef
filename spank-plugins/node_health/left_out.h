// A job whose prolog slurmd has left out: it is queued again.
//
// slurmd remembers each job whose prolog it has run, and runs it once. When it was told to abort
// the job and gets it a second time, it forgets the first one; but it tidies up at most every two
// seconds, so a job that comes back sooner begins without a prolog and without the step `extern`,
// which makes the job's own /tmp. This happens when slurmctld is killed before it has written down
// that a job began: it starts the job again a moment after it has aborted it. See
// slurm_cred_handle_reissue and _clear_expired_job_states of
// https://github.com/SchedMD/slurm/blob/slurm-22-05-8-1/src/common/slurm_cred.c
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/process.h"

namespace slipway::node_health {

// Whether jobs have a /tmp of their own on this node, and this one has none: nobody has prepared
// the node for it. `job_container_conf` is Slurm's file of that name.
bool lacks_own_tmp(const std::filesystem::path& job_container_conf, uint32_t job);

using RunSlurm = std::function<ProcessResult(const std::vector<std::string>& argv)>;

// Has Slurm queue the job again, or the heterogeneous job that it is a part of, and returns what to
// tell its user. Not for a job that has no batch script, nor for one that was queued again many
// times: then something else is wrong.
std::string queue_again(uint32_t job, const RunSlurm& run);

}  // namespace slipway::node_health
