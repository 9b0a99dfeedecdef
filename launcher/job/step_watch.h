// Watches the file in which a program keeps its step, on a file system that may hang.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>

#include "launcher/job/scribe.h"

namespace slipway::job {

class StepWatch {
 public:
  // An empty path: there is nothing to watch.
  StepWatch(std::filesystem::path path, Scribe& scribe);

  // The step, when the file was written since it was last asked or forgotten. Does not wait.
  std::optional<int64_t> changed();
  // What stands there now is of an earlier attempt. Waits for a moment.
  void forget();

 private:
  struct Seen {
    std::atomic<bool> busy = false;
    std::atomic<int64_t> step = -1, written = 0;  // nanoseconds of the file's clock
  };
  void look();

  std::filesystem::path path_;
  Scribe& scribe_;
  std::shared_ptr<Seen> seen_ = std::make_shared<Seen>();
  int64_t known_written_ = 0;
};

}  // namespace slipway::job
