// Determines what kind of job a step belongs to, on which its variables depend.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "spank-plugins/nccl_env/marker.h"

namespace slipway::nccl_env {

// Whether the job has more than one node, even if this step has only one: `srun --nodes=1` for each
// node of a job is a way to start a training run. `nodes_of_step` is Slurm's count.
bool has_several_nodes(const Environment& environment, std::optional<uint32_t> nodes_of_step);

// Whether the task was given GPUs. Slurm tells only the task, not the step. `variable` looks up a
// variable in the task's environment.
bool has_gpus(const std::function<std::optional<std::string>(const char* name)>& variable);

}  // namespace slipway::nccl_env
