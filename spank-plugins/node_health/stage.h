// Checks the node in the prolog and epilog of a job.
#pragma once

#include "spank-plugins/node_health/settings.h"
#include "spank-plugins/spank/handle.h"

namespace slipway::node_health {

// --health of sbatch, srun and salloc.
extern const spank::Option health_option;

// Runs `slipway health` for a stage, "prolog" or "epilog". False if the node is unfit and has been
// drained: Slurm should then run the job elsewhere. Failures of the plugin itself are logged, and
// return true.
bool node_is_fit(spank_t spank, const char* stage, const Arguments& arguments);

}  // namespace slipway::node_health
