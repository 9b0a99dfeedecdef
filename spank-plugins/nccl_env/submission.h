// nccl_env in the command that the user runs: sbatch and salloc (Slurm's allocator context), srun
// (the local context). A login node does not have the job's NICs, so nothing is decided here; but
// mistakes are reported while the user is there to read them.
#pragma once

#include "spank-plugins/nccl_env/settings.h"

namespace slipway::nccl_env::submission {

// Undoes what the batch script got, before the command passes its environment on, and records which
// transport libraries this machine has, if any, for nodes to compare. Sets nothing else: each node
// does that, and a variable in the environment beats `srun --export=ALL,NAME=value` (seen in Slurm
// 22.05), so our value would beat the user's.
void begin(Mode default_mode);

// --nccl-env=`value`. Returns 0, or -1 if the command must fail.
int take_option(const char* value);
// --nccl-watch.
void take_watch();
// Reports options without effect. Not an error: the job's options hold for a step that turns one of
// them off.
void after_options();

}  // namespace slipway::nccl_env::submission
