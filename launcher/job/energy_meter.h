// What the GPUs of the agent's node take during an attempt.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/health/family_process.h"

namespace slipway::job {

struct MeasuredEnergy {
  int64_t attempt = 0;
  std::optional<double> joules;  // none: the GPUs do not say, or the driver did not answer
};

// Reads the GPUs' counters when an attempt begins and when it ends, in processes of their own:
// nobody waits for a driver that hangs, and one that has not answered within `limit` is not asked
// any longer.
class EnergyMeter {
 public:
  // Millijoules, ever more of them. Called in another process.
  using Read = std::function<std::optional<uint64_t>(const health::Doing&)>;

  // Of the GPUs, through NVML.
  EnergyMeter();
  EnergyMeter(Read read, std::chrono::milliseconds limit);
  ~EnergyMeter();

  void begin(int64_t attempt);
  void end();  // of the one that has begun last; once is enough
  // Of those that have ended, each once, when both readings are there or given up. Never waits.
  std::vector<MeasuredEnergy> finished();

  std::vector<pollfd> descriptors() const;
  std::vector<pid_t> processes() const;  // ours, that end by themselves

 private:
  class Reading;
  struct Measure {
    int64_t attempt = 0;
    std::unique_ptr<Reading> first, last;  // no last: the attempt goes on
  };
  std::vector<const Reading*> readings() const;

  Read read_;
  std::chrono::milliseconds limit_;
  std::list<Measure> measures_;
};

}  // namespace slipway::job
