// What the plugin needs of Linux and of the C library, in versions that old containers have too.
#pragma once

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

// glibc 2.34 moved these into libc with a new version; the old one loads with every glibc.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLIPWAY_OLDEST(name)
#elif defined(__x86_64__)
#define SLIPWAY_OLDEST(name) __asm__(".symver " #name "," #name "@GLIBC_2.2.5")
#elif defined(__aarch64__)
#define SLIPWAY_OLDEST(name) __asm__(".symver " #name "," #name "@GLIBC_2.17")
#else
#define SLIPWAY_OLDEST(name)
#endif

namespace slipway::nccl_profiler {

inline int64_t microseconds_now() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
}

class Locked {
 public:
  explicit Locked(pthread_mutex_t& mutex) : mutex_(mutex) { ::pthread_mutex_lock(&mutex_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { ::pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t& mutex_;
};

// A number that threads wait on. Without a condition variable, whose clock old C libraries cannot
// choose.
class Signal {
 public:
  uint32_t value() const { return value_.load(std::memory_order_acquire); }

  void raise() {
    value_.fetch_add(1, std::memory_order_release);
    ::syscall(SYS_futex, &value_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }

  // Returns when the value is not `seen` any more, after the time, or early.
  void wait(uint32_t seen, int64_t microseconds) {
    timespec time = {};
    time.tv_sec = static_cast<time_t>(microseconds / 1000000);
    time.tv_nsec = static_cast<long>(microseconds % 1000000) * 1000;
    ::syscall(SYS_futex, &value_, FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
  }

 private:
  std::atomic<uint32_t> value_{0};
};

}  // namespace slipway::nccl_profiler
