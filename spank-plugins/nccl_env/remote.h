// nccl_env on a node of the job, in slurmstepd: one process a step and node.
#pragma once

#include <optional>

#include "spank-plugins/nccl_env/settings.h"
#include "spank-plugins/spank/handle.h"

namespace slipway::nccl_env::remote {

// From slurm_spank_init. Nothing: plugstack.conf is wrong, and the plugin leaves every job alone.
void begin(std::optional<Arguments> arguments);

// --nccl-env, as the user gave it to sbatch or srun. Where Slurm calls this not at all, user_init
// looks for it in the job's environment.
void take_option(const char* value);

// Decides what the tasks of the step on this node get, and looks for what is wrong.
//
// In user_init, because it runs once a node instead of once a task, and as the user: this plugin
// never opens a file with root's rights.
void user_init(const spank::Handle& slurm);

// Sets the variables in a task that has GPUs, and prints what there is to say. Not before: only
// here Slurm has told the task of its GPUs, only a task has the user's stderr, and a plugin that
// stands above this one in plugstack.conf has laid a container's image over the environment by now.
// Returns false when the job cannot work, which was told.
bool task_init(const spank::Handle& slurm);

}  // namespace slipway::nccl_env::remote
