// How busy the GPUs of a node's ranks are, by NVML: of ranks that wait in NCCL, the GPU runs a
// kernel without end, and that of a rank that never came is idle.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/driver_reading.h"

namespace slipway::job {

class GpuLoad {
 public:
  // Percent of each GPU, in NVML's order. Called in a child process.
  using Read = std::function<std::optional<std::vector<unsigned>>(const health::Doing&)>;

  GpuLoad();  // reads NVML
  GpuLoad(Read read, std::chrono::milliseconds limit);

  // Begins a reading, unless one is under way, or the node has turned out to have no such figures.
  void begin();
  // Percent of each GPU, once for each reading; empty: nothing new. Never waits.
  std::vector<int64_t> take();

  std::vector<pollfd> descriptors() const;
  std::vector<pid_t> processes() const;

 private:
  DriverReading::Read read_;
  std::chrono::milliseconds limit_;
  std::optional<DriverReading> reading_;
  bool has_none_ = false;
};

// The mean of each task's GPUs, which its tasks share evenly and in order. `list` is Slurm's, such
// as "0,1,4-7"; empty: all of them. Empty if tasks and GPUs do not match.
std::vector<int64_t> load_of_tasks(const std::vector<int64_t>& gpus, std::string_view list,
                                   size_t tasks);

}  // namespace slipway::job
