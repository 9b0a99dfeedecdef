// What a plugin can ask about a job in its prolog and epilog, and in srun.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "spank-plugins/spank/handle.h"

namespace slipway::spank {

// The value that the job's user gave an option of ours; nothing when it was not given.
std::optional<std::string> option_of_job(spank_t spank, const Option& option);

// The job's id and user; nothing where Slurm does not give them.
std::optional<uint32_t> job_id(spank_t spank);
std::optional<uid_t> job_user(spank_t spank);
// In srun: the step's number in the job, from 0.
std::optional<uint32_t> step_id(spank_t spank);

}  // namespace slipway::spank
