// Whether a run that finds no GPU should have found one.
#include "nccl-tests/missing_gpus.h"

#include <dlfcn.h>

#include <fmt/core.h>

#include "common/environment.h"

namespace slipway::bandwidth {
namespace {

// "SLURM_JOB_GPUS=0,1"; empty if Slurm gave this process none.
std::string gpus_of_slurm() {
  for (const char* name : {"SLURM_STEP_GPUS", "SLURM_JOB_GPUS"}) {
    const std::string gpus = environment_variable(name);
    if (!gpus.empty()) return fmt::format("{}={}", name, gpus);
  }
  return "";
}

}  // namespace

MissingGpus missing_gpus(const std::filesystem::path& kernel_module) {
  const std::string given = gpus_of_slurm();
  const bool has_library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL) != nullptr;
  std::error_code ignored;
  if (!has_library && std::filesystem::exists(kernel_module, ignored)) {
    return {.problem =
                "NVIDIA's kernel module is loaded here, but libcuda.so.1 cannot be loaded; in a "
                "container, NVIDIA's container runtime provides it",
            .warning = ""};
  }
  if (given.empty()) return {};
  if (has_library) {
    return {.problem =
                fmt::format("Slurm gave this job GPUs ({}), but NVIDIA's driver finds none", given),
            .warning = ""};
  }
  return {.problem = "",
          .warning = fmt::format("Slurm gave this job GPUs ({}), but this node has no NVIDIA "
                                 "driver: host memory is measured, not GPUs",
                                 given)};
}

}  // namespace slipway::bandwidth
