// nccl_env in the command that the user types: sbatch and salloc (Slurm's allocator context), srun
// (the local context). A login node has no NICs of the job's, so nothing is decided here: a mistake
// is told while somebody reads.
#pragma once

namespace slipway::nccl_env::submission {

// Takes back what the batch script was given, before the command hands its environment on, and says
// in it which libraries of the transport this machine has, if it has any: nodes compare. Each
// node sets its own anyway, and what stands in the environment beats `srun --export=ALL,NAME=value`
// (seen in Slurm 22.05): our value would beat the user's.
void begin();

// --nccl-env=`value`. 0, or -1 when the command must fail.
int take_option(const char* value);

}  // namespace slipway::nccl_env::submission
