// What `slipway health` knows of the agent's node.
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

// Of a verdict (docs/schemas/health-1.schema.json), what asks for the node to be taken out of
// service, one text each: "gpu_ecc GPU 5: 2 memory errors (reboot)". Events are Xids and faults in
// the kernel's log. What is no verdict says nothing.
std::vector<std::string> reasons_against(std::string_view verdict, Events events);

// Looks at the node now, in a process that is killed at the deadline: a driver may hang. Calls
// `meanwhile` every few milliseconds. Nothing when the node could not be looked at. Without events:
// a user's look has no history, and would take old ones for new; the agent reads the kernel's log
// by itself.
std::vector<std::string> look_at_node(std::chrono::milliseconds deadline,
                                      const std::function<void()>& meanwhile);

// Watches what root's looks find while tasks run (Slurm's HealthCheckProgram): the last one lies
// where everybody may read it.
class HealthWatch {
 public:
  explicit HealthWatch(std::filesystem::path last_verdict);
  // Why the node has been drained by a look since the last call. One that was not drained, because
  // too many are, or because nobody was to be told, does not concern a job.
  std::vector<std::string> news();

 private:
  int64_t written() const;

  std::filesystem::path file_;
  int64_t seen_ = 0;  // when it was written, nanoseconds of the file's clock
};

}  // namespace slipway::job
