// Asks Slurm whether the launcher's run of its job is still current.
#include "launcher/job/run_watch.h"

#include <utility>

#include "common/error.h"

namespace slipway::job {

RunWatch::RunWatch(JobRun run, std::chrono::milliseconds heartbeat, std::function<void(bool)> hold)
    : run_(std::move(run)), heartbeat_(heartbeat), hold_(std::move(hold)) {}

bool RunWatch::look_after_standstill() {
  const bool stood_still = Clock::now() - called_ > heartbeat_;
  if (stood_still && !is_over_) look("the launcher was frozen for longer than a heartbeat");
  called_ = Clock::now();
  return is_over_;
}

void RunWatch::look(const std::string& why) {
  hold_(true);
  try {
    RealSlurmPrograms slurm;
    is_over_ = !is_current(run_, slurm);
  } catch (const Error&) {
    is_over_ = true;
  }
  if (is_over_) {
    over_because_ = why;
  } else {
    hold_(false);
  }
}

}  // namespace slipway::job
