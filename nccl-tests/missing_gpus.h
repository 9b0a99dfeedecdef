// Whether a run that finds no GPU should have found one: otherwise it measures host memory, and
// nobody notices.
#pragma once

#include <filesystem>
#include <string>

namespace slipway::bandwidth {

struct MissingGpus {
  std::string problem;  // there is a GPU here, and the run must end; empty: no GPU was seen
  std::string warning;  // Slurm counts GPUs that this machine has no driver for
};

// Call it when find_gpus() has found none. `kernel_module` exists where NVIDIA's is loaded.
MissingGpus missing_gpus(
    const std::filesystem::path& kernel_module = "/proc/driver/nvidia/version");

}  // namespace slipway::bandwidth
