// Runs file operations on a thread, so that heartbeats do not wait for a disk that hangs.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace slipway::job {

class AsyncWriter {
 public:
  AsyncWriter();
  // Finishes pending work first.
  ~AsyncWriter();
  AsyncWriter(const AsyncWriter&) = delete;
  AsyncWriter& operator=(const AsyncWriter&) = delete;

  // Queues work to run in order. `bytes` is the memory that it holds.
  void put(std::function<void()> work, size_t bytes = 0);
  size_t backlog() const;  // in bytes
  // Waits until all work is done.
  void drain();

 private:
  void run();

  mutable std::mutex mutex_;
  std::condition_variable news_, done_;
  std::deque<std::pair<std::function<void()>, size_t>> work_;
  size_t backlog_ = 0;
  bool over_ = false, busy_ = false;
  std::thread thread_;
};

}  // namespace slipway::job
