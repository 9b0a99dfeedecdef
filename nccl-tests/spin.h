// Trying again for a moment before a rank sleeps until data arrives.
#pragma once

#include <sched.h>

#include <chrono>

namespace slipway::bandwidth {

// Waking up takes microseconds, as long as a small message takes to arrive. Between two tries other
// processes may run, since there may be more ranks than processors.
class Spin {
 public:
  // Whether to try again at once. False when that has not helped for `longest`.
  bool again() {
    const auto now = std::chrono::steady_clock::now();
    if (begin_ == Clock::time_point()) begin_ = now;
    if (now - begin_ > longest) return false;
    ::sched_yield();
    return true;
  }
  // It has helped.
  void reset() { begin_ = {}; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto longest = std::chrono::microseconds(200);
  Clock::time_point begin_ = {};
};

}  // namespace slipway::bandwidth
