// Asks Slurm whether the launcher's run of its job is still current.
//
// If the launcher was frozen, or all other nodes are gone, their agents assume that it is dead and
// requeue the job. Then another launcher owns the ledger, and this one must end quietly.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "launcher/job/requeue.h"

namespace slipway::job {

class RunWatch {
 public:
  // Calls `hold` with true before asking Slurm, and with false if the run continues.
  RunWatch(JobRun run, std::chrono::milliseconds heartbeat, std::function<void(bool)> hold);

  // Asks Slurm if the previous call was longer ago than a heartbeat. Returns is_over().
  bool check_after_freeze();

  // Asks Slurm. If Slurm cannot be asked, the run is over: this node is cut off.
  void ask_slurm(const std::string& why);

  bool is_over() const { return is_over_; }
  const std::string& over_because() const { return over_because_; }  // why Slurm was asked

 private:
  using Clock = std::chrono::steady_clock;

  JobRun run_;
  std::chrono::milliseconds heartbeat_;
  std::function<void(bool)> hold_;
  Clock::time_point called_ = Clock::now();
  bool is_over_ = false;
  std::string over_because_;
};

}  // namespace slipway::job
