// Measures the energy that this node's GPUs use during an attempt.
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

#include "launcher/job/driver_reading.h"

namespace slipway::job {

struct MeasuredEnergy {
  int64_t attempt = 0;
  std::optional<double> joules;  // empty: unsupported, or the driver did not answer
};

// Reads the GPUs' counters when an attempt begins and ends, in child processes: nothing waits for a
// driver that hangs, and a reading that takes longer than `limit` is abandoned.
class EnergyMeter {
 public:
  // Returns a running total in millijoules. Called in a child process.
  using Read = std::function<std::optional<uint64_t>(const health::Doing&)>;

  // Reads the GPUs through NVML.
  EnergyMeter();
  EnergyMeter(Read read, std::chrono::milliseconds limit);
  ~EnergyMeter();

  void begin(int64_t attempt);
  void end();  // of the attempt that began last; repeated calls do nothing
  // Attempts that ended, each once, when both readings are done or abandoned. Never waits.
  std::vector<MeasuredEnergy> finished();

  std::vector<pollfd> descriptors() const;
  std::vector<pid_t> processes() const;  // child processes, which end by themselves

 private:
  struct Measure {
    int64_t attempt = 0;
    std::unique_ptr<DriverReading> first, last;  // no last: the attempt still runs
  };
  std::vector<const DriverReading*> readings() const;

  DriverReading::Read read_;
  std::chrono::milliseconds limit_;
  std::list<Measure> measures_;
};

}  // namespace slipway::job
