// What kind of job a step belongs to: what suits it depends on that.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "spank-plugins/nccl_env/marker.h"

namespace slipway::nccl_env {

// Whether the job has more than one node, though this step may have one only: `srun --nodes=1` for
// each node of a job is a way to start a training run. `nodes_of_step` as Slurm says it.
bool has_several_nodes(const Environment& environment, std::optional<uint32_t> nodes_of_step);

// Whether the task was given GPUs. Slurm says so to the task only, not to the step. `variable`
// looks one up in the task's environment.
bool has_gpus(const std::function<std::optional<std::string>(const char* name)>& variable);

}  // namespace slipway::nccl_env
