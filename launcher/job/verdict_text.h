// What people read about a verdict: in the job's output, and in Slurm's comment on the job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/job/blame.h"

namespace slipway::job {

// "attempt 2: exit, blamed: node-3", then a line per piece of evidence, indented.
std::vector<std::string> verdict_lines(int64_t attempt, const Verdict& verdict);

// Why the job is requeued, as one line of at most 1,000 bytes.
std::string requeue_comment(const Verdict& verdict);

}  // namespace slipway::job
