// Trying again for a moment before a rank sleeps until data arrives.
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <utility>

namespace slipway::bandwidth {

// Waking up takes microseconds, as long as a small message takes to arrive. Between two tries other
// processes may run, since there may be more ranks than processors.
class Spin {
 public:
  using Clock = std::chrono::steady_clock;

  // If every rank of this host can have a processor, nobody is in the way of one that tries for
  // long. A rank that sleeps wakes up late, and perhaps on the processor of the one that woke it.
  static void choose_patience(int ranks_here, int processors) {
    longest_ = ranks_here <= processors ? std::chrono::milliseconds(5) : short_patience;
  }

  // Whether to try again at once. False when that has not helped for long enough, or when others
  // need the processor: who lets them run gets it back late, who sleeps is woken when it is time.
  bool again() {
    const auto now = Clock::now();
    if (now < crowded_until_) return false;
    if (begin_ == Clock::time_point()) begin_ = now;
    if (now - begin_ > longest_.load(std::memory_order_relaxed)) return false;
    ::sched_yield();
    const auto back = Clock::now();
    if (back - now > crowded_pause) crowded_until_ = back + crowded_time;
    return true;
  }
  // It has helped.
  void reset() { begin_ = {}; }

  // This rank is about to sleep, since again() is false. has_slept() tells whether it did since it
  // was last asked.
  static void note_sleep() { slept_ = true; }
  static bool has_slept() { return std::exchange(slept_, false); }

 private:
  static constexpr std::chrono::microseconds short_patience{200};
  // Longer than other ranks of this host need for a part of a message.
  static constexpr std::chrono::milliseconds crowded_pause{1};
  // So that finding out costs little.
  static constexpr std::chrono::milliseconds crowded_time{100};
  inline static std::atomic<std::chrono::microseconds> longest_ = short_patience;
  inline static thread_local Clock::time_point crowded_until_ = {};
  inline static thread_local bool slept_ = false;  // a rank is a thread in tests

  Clock::time_point begin_ = {};
};

}  // namespace slipway::bandwidth
