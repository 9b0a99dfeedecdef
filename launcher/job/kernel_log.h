// Kernel messages logged during an attempt, if the user may read them.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/health/history.h"
#include "launcher/health/kernel_log.h"
#include "launcher/health/policy.h"

namespace slipway::job {

// PCI addresses of the node's GPUs, such as "0000:07:00.0".
using GpuPlaces = std::set<std::string>;

struct KernelLines {
  std::vector<std::string> all;     // about GPUs, memory and hardware; only the last few
  std::vector<std::string> broken;  // those that take the node out of service
};

// Adds what came later. An attempt may last for weeks, so only the last lines are kept.
void add_lines(KernelLines& kept, const KernelLines& lines);

class KernelLog {
 public:
  // Reads nothing if the user may not read the log. `policy` is the node's own; without it, nothing
  // matches. `last_verdict` is the file of root's last health check, which lists the GPUs.
  explicit KernelLog(std::optional<health::Policy> policy,
                     std::filesystem::path last_verdict =
                         std::filesystem::path(health::state_folder) / "last.json",
                     const std::filesystem::path& log = "/dev/kmsg");

  // Forgets what was logged until now.
  void skip() { reader_.skip(); }
  // What was logged since. `events` are the Xids that NVML reported (XidListener), which replace
  // those in the log; empty if nobody listens.
  KernelLines lines(const std::optional<std::vector<health::Xid>>& events = std::nullopt);

 private:
  std::optional<health::Policy> policy_;
  std::filesystem::path last_verdict_;
  health::KernelLogReader reader_;
};

// The policy of `slipway health` on this node; empty if it cannot be read or is invalid.
std::optional<health::Policy> policy_here();

// The GPUs in root's last health check, and those that the driver lists.
GpuPlaces gpu_places(const std::filesystem::path& last_verdict);

// Whether a record may explain the end of a task: an Xid, or a match for one of the policy's
// patterns, such as a process killed for lack of memory or a hardware fault.
bool matters(const health::KernelRecord& record, const health::Policy& policy);

// Whether a record is an Xid of one of these GPUs for which the policy demands a drain, a reset, a
// reboot or a replacement.
bool asks_for_a_drain(const health::KernelRecord& record, const health::Policy& policy,
                      const GpuPlaces& places);

// An Xid as a line, "NVML: Xid 79 of GPU 0000:07:00.0", and the number in such a line or in a
// kernel record; empty for other texts.
std::string line_of(const health::Xid& xid);
std::optional<int> xid_number_in(const std::string& line);

}  // namespace slipway::job
