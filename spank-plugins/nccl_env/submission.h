// nccl_env in the command that the user types: sbatch and salloc (Slurm's allocator context), srun
// (the local context). A login node has no NICs of the job's, so nothing is decided here: a mistake
// is told while somebody reads.
#pragma once

namespace slipway::nccl_env::submission {

// --nccl-env=`value`. 0, or -1 when the command must fail.
int take_option(const char* value);

}  // namespace slipway::nccl_env::submission
