// Whoever writes to files that may hang: a thread, so that heartbeats do not wait for a disk.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace slipway::job {

class Scribe {
 public:
  Scribe();
  // Does first what is left to do.
  ~Scribe();
  Scribe(const Scribe&) = delete;
  Scribe& operator=(const Scribe&) = delete;

  // Does it soon, in the order of these calls. `bytes` is what it holds.
  void put(std::function<void()> work, size_t bytes = 0);
  size_t backlog() const;  // in bytes
  // Waits until all is done.
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
