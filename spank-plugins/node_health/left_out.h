// Requeues a job that slurmd started without its prolog.
//
// slurmd remembers each job whose prolog it has run, and runs it once. If it has to abort a job
// and gets it a second time, it forgets the first one; but it cleans up at most every two seconds,
// so a job that comes back sooner starts without a prolog and without the step `extern`, which
// creates the job's own /tmp. This happens if slurmctld is killed before it has saved that a job
// started: it starts the job again a moment after it has aborted it. The first start's folder may
// still be there when the second one's step is initialized, and be removed before its task enters
// it; the task then exits with 1, so look again when a task has ended. See
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

// Whether jobs have their own /tmp on this node, but this one does not: the node was not prepared
// for it. `job_container_conf` is Slurm's file of that name.
bool lacks_own_tmp(const std::filesystem::path& job_container_conf, uint32_t job);

using RunSlurm = std::function<ProcessResult(const std::vector<std::string>& argv)>;

// Requeues the job, or the heterogeneous job that it is part of, and returns a message for its
// user. Does nothing and returns "" if the job is ending: its /tmp may go before its last task,
// and a requeued job would come back although its user has canceled it. Does not requeue a job
// without a batch script, nor one requeued many times: then something else is wrong.
std::string queue_again(uint32_t job, const RunSlurm& run);

}  // namespace slipway::node_health
