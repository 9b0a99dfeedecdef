// What an agent tells the launcher again and again about its node's ranks.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "launcher/job/driver_reading.h"
#include "launcher/job/gpu_load.h"
#include "launcher/job/node_tasks.h"
#include "launcher/job/protocol.h"

namespace slipway::job {

class RankWatch {
 public:
  void begin(const Start& order);
  bool is_due() const;
  // Never waits.
  Watched look(NodeTasks& tasks);

  // Asks NCCL's RAS, in a child process: another program may listen there, and never answer.
  void ask_ras(const AskRas& order, const NodeTasks& tasks);
  // Its answer, once.
  std::optional<RasSaid> take_ras();

  std::vector<pollfd> descriptors() const;
  std::vector<pid_t> processes() const;

 private:
  using Clock = std::chrono::steady_clock;

  int64_t attempt_ = 0, first_rank_ = 0;
  size_t tasks_ = 0, looks_ = 0;
  std::chrono::milliseconds every_{0};  // 0: never
  Clock::time_point last_;
  GpuLoad load_;
  std::optional<DriverReading> ras_;
};

}  // namespace slipway::job
