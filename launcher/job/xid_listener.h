// Xids from NVML events: unlike kernel log text, users cannot forge them.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "launcher/health/kernel_log.h"

namespace slipway::job {

// Listens in a separate process for as long as this object exists, so that only that process can
// hang with the driver. Works for ordinary users, and holds the driver open as the tasks do.
class XidListener {
 public:
  using Report = std::function<bool(const health::Xid&)>;  // false: stop listening
  // Calls `ready` once it waits for events, and `report` for each. Returns if it cannot listen.
  using Watch = std::function<void(const std::function<void()>& ready, const Report& report)>;

  // Listens to the node's GPUs through NVML.
  XidListener();
  explicit XidListener(const Watch& watch);
  // Kills the process, unless it is stuck in the kernel.
  ~XidListener();
  XidListener(const XidListener&) = delete;
  XidListener& operator=(const XidListener&) = delete;

  // The Xids since the last call. Empty if nothing listens: without a driver or GPU, before
  // listening has begun, and after the driver ended it. Never waits.
  std::optional<std::vector<health::Xid>> news();

  pid_t process() const { return pid_; }  // 0: none

 private:
  pid_t pid_ = 0;
  Fd words_;  // lines: "ready", then "0000:07:00.0 79"
  std::string text_;
  bool ready_ = false;
};

}  // namespace slipway::job
