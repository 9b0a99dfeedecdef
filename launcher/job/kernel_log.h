// What the kernel logged while an attempt ran, as far as a user may read it.
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

// The places of the node's GPUs on the PCI bus, "0000:07:00.0".
using GpuPlaces = std::set<std::string>;

struct KernelLines {
  std::vector<std::string> all;     // about GPUs, memory and hardware; the last when they are many
  std::vector<std::string> broken;  // those for which the node is to be taken out of service
};

class KernelLog {
 public:
  // Empty for users who may not read the log. `policy` is the node's own; without one nothing
  // counts. `last_verdict` is the file of root's last health check, which has the places of GPUs.
  explicit KernelLog(std::optional<health::Policy> policy,
                     std::filesystem::path last_verdict =
                         std::filesystem::path(health::state_folder) / "last.json",
                     const std::filesystem::path& log = "/dev/kmsg");

  // Forgets what was logged until now.
  void skip() { reader_.skip(); }
  // What was logged since. `events` are the Xids that NVML reported (XidListener), which count in
  // place of those in the log; nothing when nobody listens.
  KernelLines lines(const std::optional<std::vector<health::Xid>>& events = std::nullopt);

 private:
  std::optional<health::Policy> policy_;
  std::filesystem::path last_verdict_;
  health::KernelLogReader reader_;
};

// The policy of `slipway health` on this node; nothing when it cannot be read, or is wrong.
std::optional<health::Policy> policy_here();

// The GPUs of root's last health check, and those that the driver shows.
GpuPlaces gpu_places(const std::filesystem::path& last_verdict);

// Whether a record may explain the end of a task: an Xid, or what the policy has a pattern for,
// such as a process that was killed for lack of memory, or a hardware fault.
bool matters(const health::KernelRecord& record, const health::Policy& policy);

// Whether a record is an Xid of one of these GPUs for which the policy wants a drain, a reset, a
// reboot or a replacement.
bool asks_for_a_drain(const health::KernelRecord& record, const health::Policy& policy,
                      const GpuPlaces& places);

// An Xid as a line, "NVML: Xid 79 of GPU 0000:07:00.0", and the number in that or in a record of
// the log; nothing in another text.
std::string line_of(const health::Xid& xid);
std::optional<int> xid_number_in(const std::string& line);

}  // namespace slipway::job
