// A control for a bandwidth test: what this machine moves over its own loopback interface.
//
// Simulated nodes share one machine, so no figure for their network holds from one machine, or one
// minute, to the next. A control that runs in turn with the test, on the same processors, meets the
// same load: the ratio of the two can be judged where the bandwidth itself cannot.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/fd.h"
#include "nccl-tests/measure.h"

namespace slipway::bandwidth {

// A TCP connection of a process with itself over 127.0.0.1.
class Loopback {
 public:
  Loopback();  // throws Error when there is no connection

  // Seconds for `bytes` to leave at one end and arrive at the other. Throws Error.
  double move(const Buffers& buffers, int64_t bytes);

 private:
  Fd from_;
  Fd to_;
};

// A test and its control, timed in turn.
struct ControlledRun {
  int64_t size_bytes = 0;       // of the test, as in the column `size`
  double busbw_gb_per_s = 0;    // of the test: the median over the rounds
  double control_gb_per_s = 0;  // of the control, in the same units
  double ratio = 0;             // the median of each round's busbw / control
  int rounds = 0;
  std::optional<Interval> ratio_interval = {};  // of the median, 95 %
};

// Runs `which` out of place and its control in turn; all ranks. Each round moves over loopback, on
// all ranks at once, as many bytes as busbw counts for one rank. The slowest rank's time counts in
// both. Every rank gets the same result. Throws Error.
ControlledRun run_with_control(Backend& backend, const Case& which, int64_t requested_bytes,
                               const Buffers& buffers, const Timing& timing);

}  // namespace slipway::bandwidth
