// Which of the GPUs that NVML shows are those of this step.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::job {

// What Slurm says about this process' step, or else its job, such as "0,2-3"; empty: nothing.
std::string gpu_list_of_step();

// Their places among `visible` GPUs. `list` is Slurm's, of the whole node. With ConstrainDevices,
// NVML shows a job its own GPUs only, from 0 on. All of them if the list is empty, or does not fit.
std::vector<size_t> own_gpus(size_t visible, std::string_view list);

}  // namespace slipway::job
