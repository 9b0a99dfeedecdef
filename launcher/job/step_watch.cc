// Watches the file in which a program keeps its step number.
#include "launcher/job/step_watch.h"

#include <sys/stat.h>

#include <chrono>

#include "launcher/job/step_file.h"

namespace slipway::job {

StepWatch::StepWatch(std::filesystem::path path, AsyncWriter& async)
    : path_(std::move(path)), async_(async) {}

void StepWatch::poll() {
  if (path_.empty() || seen_->busy.exchange(true)) return;
  async_.put([path = path_, seen = seen_] {
    struct stat file = {};
    const auto step = step_in(path);
    if (step && ::stat(path.c_str(), &file) == 0) {
      seen->step = *step;
      seen->written = file.st_mtim.tv_sec * 1'000'000'000 + file.st_mtim.tv_nsec;
    }
    seen->busy = false;
  });
}

std::optional<int64_t> StepWatch::changed() {
  std::optional<int64_t> step;
  if (!seen_->busy && seen_->written != known_written_) {
    known_written_ = seen_->written;
    step = seen_->step;
  }
  poll();
  return step;
}

void StepWatch::forget() {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto wait = [&] {
    while (seen_->busy && Clock::now() - begin < std::chrono::seconds(2)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  wait();  // the pending read may predate the last write
  poll();
  wait();
  known_written_ = seen_->written;
}

}  // namespace slipway::job
