// Xids as NVML's events tell of them: the driver's own word, without a text that could be forged.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/fd.h"
#include "launcher/health/kernel_log.h"

namespace slipway::job {

// Listens in a process of its own, from its construction to its destruction: what hangs with the
// driver hangs there. It may be a user's, and holds the driver open as the tasks do.
class XidListener {
 public:
  using Tell = std::function<bool(const health::Xid&)>;  // false: stop listening
  // Calls `ready` when events are waited for, and `tell` for each. Returns when it cannot listen.
  using Watch = std::function<void(const std::function<void()>& ready, const Tell& tell)>;

  // Of the node's GPUs, through NVML.
  XidListener();
  explicit XidListener(const Watch& watch);
  // Kills the process. One that is stuck in the kernel is left to it.
  ~XidListener();
  XidListener(const XidListener&) = delete;
  XidListener& operator=(const XidListener&) = delete;

  // The Xids since the last call. Nothing when nobody listens: where there is no driver or no GPU,
  // before it has begun, and when the driver has ended it. Never waits.
  std::optional<std::vector<health::Xid>> news();

  pid_t process() const { return pid_; }  // 0: none

 private:
  pid_t pid_ = 0;
  Fd words_;  // lines: "ready", then "0000:07:00.0 79"
  std::string text_;
  bool ready_ = false;
};

}  // namespace slipway::job
