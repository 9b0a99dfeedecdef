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

// Where it is asked for; tests have their own.
struct ProcessSources {
  // The numbers of processes that the driver has on the GPU; nothing when it does not say.
  std::function<std::optional<std::vector<unsigned>>()> on_gpu;
  // When the process of a number began; empty when there is none.
  std::function<std::string(unsigned)> start_of;
  // Lets the driver clean up after a process that has just ended.
  std::function<void()> pause;
};

// The driver and the kernel are asked one after the other, and a process may end, and its number go
// to another one, in between. So both are asked again: a process counts when the driver names it
// each time and the kernel says the same of it each time, twice of one that lives, three times of
// one that has ended.
std::optional<std::vector<GpuProcess>> processes_of_gpu(const ProcessSources& sources);

}  // namespace slipway::health
