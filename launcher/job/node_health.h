// Reads the results of `slipway health` on the agent's node.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::job {

enum class Events { counted, left_out };

// The findings of a verdict (docs/schemas/health-1.schema.json) that call for taking the node out
// of service, one text each: "gpu_ecc GPU 5: 2 memory errors (reboot)". Events are Xids and faults
// in the kernel log. Empty if the text is not a verdict.
std::vector<std::string> reasons_against(std::string_view verdict, Events events);

inline constexpr std::chrono::milliseconds health_limit = std::chrono::seconds(3);

// Checks the node now, in a process that is killed at the deadline: a driver may hang. Calls
// `meanwhile` every few milliseconds. Returns nothing if the check fails. Leaves out events: a
// check run by a user has no history and would report old events as new, and the agent reads the
// kernel log itself.
std::vector<std::string> check_this_node(std::chrono::milliseconds deadline,
                                         const std::function<void()>& meanwhile);

// Throws Error if the node is unfit: a running job gets no such node.
void check_before_joining(const std::string& node);

// Watches the results of root's health checks while tasks run (Slurm's HealthCheckProgram). The
// last result is in a file that everybody can read.
class HealthWatch {
 public:
  explicit HealthWatch(std::filesystem::path last_verdict);
  // Why a check has drained the node since the last call. Findings that did not drain it, because
  // too many nodes are drained or because Slurm is not informed, do not concern a job.
  std::vector<std::string> news();

 private:
  int64_t written() const;

  std::filesystem::path file_;
  int64_t seen_ = 0;  // modification time, in nanoseconds
};

}  // namespace slipway::job
