// Watches the file in which a program keeps its step number, on a file system that may hang.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>

#include "launcher/job/async_writer.h"

namespace slipway::job {

class StepWatch {
 public:
  // An empty path means that there is nothing to watch.
  StepWatch(std::filesystem::path path, AsyncWriter& async);

  // The step, if the file was written since the last call to changed() or forget(). Does not wait.
  std::optional<int64_t> changed();
  // Ignores the file's current content, which is from an earlier attempt. Waits up to 2 seconds.
  void forget();

 private:
  struct Seen {
    std::atomic<bool> busy = false;
    std::atomic<int64_t> step = -1, written = 0;  // modification time, ns
  };
  void poll();

  std::filesystem::path path_;
  AsyncWriter& async_;
  std::shared_ptr<Seen> seen_ = std::make_shared<Seen>();
  int64_t known_written_ = 0;
};

}  // namespace slipway::job
