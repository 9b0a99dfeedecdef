// The prolog and the epilog of a job on this node.
#pragma once

#include "spank-plugins/node_health/settings.h"
#include "spank-plugins/spank/handle.h"

namespace slipway::node_health {

// --health of sbatch, srun and salloc.
extern const spank::Option health_option;

// Runs `slipway health` for a stage, "prolog" or "epilog". False when the node is unfit and has
// been drained: Slurm is to send the job elsewhere. Whatever goes wrong with us is a line in the
// log, and true.
bool node_is_fit(spank_t spank, const char* stage, const Arguments& arguments);

}  // namespace slipway::node_health
