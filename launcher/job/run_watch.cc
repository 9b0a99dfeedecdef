// Asks Slurm whether the launcher's run of its job is still current.
#include "launcher/job/run_watch.h"

#include <utility>

#include "common/error.h"

namespace slipway::job {

RunWatch::RunWatch(JobRun run, std::chrono::milliseconds heartbeat, std::function<void(bool)> hold)
    : run_(std::move(run)), heartbeat_(heartbeat), hold_(std::move(hold)) {}

bool RunWatch::check_after_freeze() {
  const bool was_frozen = Clock::now() - called_ > heartbeat_;
  if (was_frozen && !is_over_) ask_slurm("the launcher was frozen for longer than a heartbeat");
  called_ = Clock::now();
  return is_over_;
}

void RunWatch::ask_slurm(const std::string& why) {
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
