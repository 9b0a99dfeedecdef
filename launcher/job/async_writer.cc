// Runs file operations, which may hang, on a thread.
#include "launcher/job/async_writer.h"

namespace slipway::job {

AsyncWriter::AsyncWriter() : thread_([this] { run(); }) {}

AsyncWriter::~AsyncWriter() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  news_.notify_one();
  thread_.join();
}

void AsyncWriter::put(std::function<void()> work, size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    work_.emplace_back(std::move(work), bytes);
    backlog_ += bytes;
  }
  news_.notify_one();
}

size_t AsyncWriter::backlog() const {
  const std::lock_guard lock(mutex_);
  return backlog_;
}

void AsyncWriter::drain() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return work_.empty() && !busy_; });
}

void AsyncWriter::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    news_.wait(lock, [this] { return over_ || !work_.empty(); });
    if (work_.empty()) return;
    const auto [work, bytes] = std::move(work_.front());
    work_.pop_front();
    busy_ = true;
    lock.unlock();
    work();
    lock.lock();
    busy_ = false;
    backlog_ -= bytes;
    done_.notify_all();
  }
}

}  // namespace slipway::job
