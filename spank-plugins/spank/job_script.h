// Reads what Slurm tells plugins about the job.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spank-plugins/spank/handle.h"

namespace slipway::spank {

// The value that the job's user gave one of our options; empty if not given.
std::optional<std::string> option_of_job(spank_t spank, const Option& option);

// The job's id and user; empty if Slurm does not provide them.
std::optional<uint32_t> job_id(spank_t spank);
std::optional<uid_t> job_user(spank_t spank);
// In srun: the step's index in the job, from 0.
std::optional<uint32_t> step_id(spank_t spank);

// The step's program and its arguments; a batch step's program is the script in slurmd's spool.
// Empty if Slurm does not provide it.
std::vector<std::string> command(spank_t spank);

}  // namespace slipway::spank
