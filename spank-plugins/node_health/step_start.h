// The first step of a job, in srun.
#pragma once

#include "spank-plugins/spank/handle.h"

namespace slipway::node_health {

// Waits until the job's prolog has ended on all its nodes, if this is the job's first step.
//
// srun waits for it by itself, but not when nodes had to be started for the job: then Slurm starts
// the prolog only when the first step is made (job_config_fini() of slurmctld, 22.05), and srun
// goes on at once. A slurmd that hears of the step first takes the job for one whose prolog it has
// run
// (_rpc_launch_tasks() of req.c). It skips the prolog: the node is not checked, and the step fails
// if jobs have a /tmp of their own.
//
// It costs the first step one question to slurmctld. A slurmctld that does not answer is not waited
// for: srun finds that out itself.
void wait_for_prolog(spank_t spank);

}  // namespace slipway::node_health
