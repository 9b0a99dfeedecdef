// Does something for many machines, some dozens at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace slipway::hosts {

constexpr size_t machines_at_once = 32;

// Calls `work` with each number below `count`, in several threads. `work` must not throw.
inline void for_each_at_once(size_t count, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> workers;
  for (size_t i = 0; i < std::min(machines_at_once, count); ++i) {
    workers.emplace_back([&] {
      for (size_t at = next++; at < count; at = next++) work(at);
    });
  }
}

}  // namespace slipway::hosts
