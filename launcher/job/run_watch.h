// Whether a launcher's run of its job is still Slurm's.
//
// After the launcher stood still, or when all other nodes have gone, their agents take it for dead,
// and have Slurm queue the job again. Then another launcher has the ledger, and this one has
// nothing to say.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "launcher/job/give_back.h"

namespace slipway::job {

class RunWatch {
 public:
  // `hold` is called with true before Slurm is asked, and with false when the run goes on.
  RunWatch(JobRun run, std::chrono::milliseconds heartbeat, std::function<void(bool)> hold);

  // Asks Slurm when it has not been called for longer than a heartbeat. Returns is_over().
  bool look_after_standstill();

  // Asks Slurm. One that cannot be asked is taken for a no: we are cut off from it.
  void look(const std::string& why);

  bool is_over() const { return is_over_; }
  const std::string& over_because() const { return over_because_; }  // why it was asked

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
