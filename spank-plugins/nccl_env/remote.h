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

// Sets the variables for all tasks of the step on this node.
//
// In user_init and not in task_init: it runs once a node instead of once a task, before the tasks
// are forked, so that all of them inherit the result; and it runs as the user, so that this plugin
// never opens a file with root's rights. A container's image can still override these values; the
// containers' own start must put them last.
void user_init(const spank::Handle& slurm);

// Prints the table of `--nccl-env=show`, from the first task of the step only. Here and not in
// user_init, because only a task has the user's stderr.
void task_init(const spank::Handle& slurm);

}  // namespace slipway::nccl_env::remote
