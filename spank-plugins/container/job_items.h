// What SPANK says about a step, in slurmstepd.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

#include "spank-plugins/container/as_user.h"
#include "spank-plugins/container/places.h"
#include "spank-plugins/spank/api.h"

namespace slipway::container {

// Steps without an srun: slurm.h has their numbers.
bool is_batch_script(const StepId& id);
bool is_extern_step(const StepId& id);

// Throw Error if Slurm does not know it.
StepId step_of(spank_t spank);
User user_of(spank_t spank);
// The copy of the batch script on the node.
std::filesystem::path batch_script_of(spank_t spank);
uint32_t local_task_count(spank_t spank);

}  // namespace slipway::container
