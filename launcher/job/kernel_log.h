// What the kernel has said while an attempt ran, as far as a user may read it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/health/kernel_log.h"
#include "launcher/health/policy.h"

namespace slipway::job {

struct KernelLines {
  std::vector<std::string> all;     // about GPUs, memory and hardware; the last when they are many
  std::vector<std::string> broken;  // those for which the node is to be taken out of service
};

class KernelLog {
 public:
  // Without the right to read it, it is empty. `policy` is the node's own; without one no line asks
  // for anything.
  explicit KernelLog(std::optional<health::Policy> policy);

  // Forgets what has been said until now.
  void skip() { reader_.skip(); }
  // What has come since.
  KernelLines lines();

 private:
  std::optional<health::Policy> policy_;
  health::KernelLogReader reader_;
};

// What `slipway health` goes by on this node; nothing when it cannot be read, or is wrong.
std::optional<health::Policy> policy_here();

// Whether a line is about what may have ended a task: an Xid, a killer for want of memory, a
// machine check, a device that has gone.
bool matters(const std::string& line);

// Whether a line is an Xid for which the policy wants a drain, a reset, a reboot or a replacement.
bool asks_for_a_drain(const std::string& line, const health::Policy& policy);

}  // namespace slipway::job
