// nccl_env in slurmstepd, on a node of the job: one process per step and node.
#pragma once

#include <optional>

#include "spank-plugins/nccl_env/settings.h"
#include "spank-plugins/spank/handle.h"

namespace slipway::nccl_env::remote {

// Called from slurm_spank_init. Empty: plugstack.conf is invalid, so the plugin leaves jobs alone.
void begin(std::optional<Arguments> arguments);

// In slurm_spank_init: asks a container plugin that comes after this one in plugstack.conf to keep
// our variables.
void init(const spank::Handle& slurm);

// --nccl-env, as the user gave it to sbatch or srun. If Slurm does not call this, user_init looks
// for the option in the job's environment.
void take_option(const char* value);
// --nccl-watch, in the same way.
void take_watch();

// Decides what the step's tasks on this node get, and checks for problems.
//
// This happens in user_init, because that runs once per node instead of once per task, and as the
// user: this plugin never opens a file with root's rights.
void user_init(const spank::Handle& slurm);

// Sets the variables in a task that has GPUs, and prints tables and findings. Not earlier: only
// here Slurm has assigned the task's GPUs, only a task has the user's stderr, and plugins above
// this one in plugstack.conf have applied a container image to the environment by now. For those
// below it, a process of its own looks at the program's environment. Returns
// false if the job cannot work, after reporting why.
bool task_init(const spank::Handle& slurm);

}  // namespace slipway::nccl_env::remote
