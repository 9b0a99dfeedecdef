// Which processes are on a GPU, and which have ended and still hold it.
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

// The driver and the kernel; tests have their own.
struct ProcessSources {
  // Process numbers that the driver has on the GPU; nothing when the driver does not support that.
  std::function<std::optional<std::vector<unsigned>>()> on_gpu;
  // When the process with this number began; empty when it does not exist.
  std::function<std::string(unsigned)> start_of;
  // Lets the driver clean up after a process that has just ended.
  std::function<void()> pause;
};

// The driver and the kernel are asked one after the other, and in between a process may end and its
// number may be reused. So both are asked again: a process counts when the driver names it and the
// kernel gives the same answer each time, twice for one that lives, three times for one that has
// ended.
std::optional<std::vector<GpuProcess>> processes_of_gpu(const ProcessSources& sources);

}  // namespace slipway::health
