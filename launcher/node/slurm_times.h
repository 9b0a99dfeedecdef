// What Slurm says about time: how long it waits for nodes, and how long a job may run.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "launcher/node/resume_order.h"

namespace slipway::node {

// How long Slurm waits for each partition's nodes, from `scontrol --oneliner show partition`: the
// partition's ResumeTimeout, or slurm.conf's (`scontrol show config`) if it has none.
std::map<std::string, std::chrono::seconds> resume_timeouts(const std::string& partitions,
                                                            const std::string& config);

// The value of ResumeTimeout in `scontrol show config`; Slurm's default, 60 s, if it has none.
std::chrono::seconds global_resume_timeout(const std::string& config);

// How much of ResumeTimeout we may use, so that Slurm has our reason before it gives up.
std::chrono::seconds share_of(std::chrono::seconds resume_timeout);

// Complete the order: timeouts of its nodes, and time limits of its jobs. Ask Slurm. Throw Error.
void ask_for_timeouts(ResumeOrder& order);
void ask_for_time_limits(ResumeOrder& order);

}  // namespace slipway::node
