// Threads that do work in the order in which it was queued.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace slipway::checkpoint {

// Its process ends without waiting for the threads: work may take long.
class WorkQueue {
 public:
  explicit WorkQueue(size_t threads) {
    for (size_t i = 0; i < threads; ++i) std::thread([this] { run(); }).detach();
  }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // `work` does not throw.
  void put(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
    news_.notify_one();
  }

 private:
  [[noreturn]] void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      news_.wait(lock, [this] { return !work_.empty(); });
      const std::function<void()> work = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      work();
    }
  }

  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<std::function<void()>> work_;
};

}  // namespace slipway::checkpoint
