// Finds the processes that use a GPU, and those that have ended but still hold it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace slipway::health {

struct GpuProcess {
  unsigned id = 0;
  bool ended = false;
  bool operator==(const GpuProcess&) const = default;
};

// Access to the driver and the kernel; tests use fakes.
struct ProcessSources {
  // PIDs that the driver lists for the GPU; empty if the driver does not support this.
  std::function<std::optional<std::vector<unsigned>>()> on_gpu;
  // Start time of the process with this PID; empty if it does not exist.
  std::function<std::string(unsigned)> start_of;
  // Gives the driver time to clean up after a process that just ended.
  std::function<void()> pause;
};

// The driver and the kernel are asked one after the other; in between, a process may end and its
// PID may be reused. So ask both again: a process counts only if the driver lists it and the kernel
// gives the same answer each time, twice for a living process, three times for an ended one.
std::optional<std::vector<GpuProcess>> processes_of_gpu(const ProcessSources& sources);

}  // namespace slipway::health
