// Makes a job's first step, in srun, wait for the prolog.
#pragma once

#include "spank-plugins/spank/handle.h"

namespace slipway::node_health {

// Waits until the job's prolog has ended on all its nodes, if this is the job's first step.
//
// srun does so itself, but not if nodes had to be started for the job: then Slurm starts the prolog
// only when the first step is created (job_config_fini() of slurmctld, 22.05), and srun continues
// at once. A slurmd that learns of the step first assumes that it has already run the job's prolog
// (_rpc_launch_tasks() of req.c). It skips the prolog: the node is not checked, and the step fails
// if jobs have their own /tmp.
//
// This costs the first step one request to slurmctld. If slurmctld does not answer, this does not
// wait: srun finds that out itself.
void wait_for_prolog(spank_t spank);

}  // namespace slipway::node_health
