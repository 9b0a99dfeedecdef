// A job of a JobSet that runs: its pods on their nodes, which it starts, replaces and ends as the
// controller of Jobs does.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "launcher/local/deployment_folder.h"
#include "launcher/pods/placement.h"
#include "launcher/pods/policy.h"
#include "launcher/pods/running_pod.h"

namespace slipway::pods {

class RunningJob {
 public:
  using Clock = std::chrono::steady_clock;

  // `pods` has those of one job, in the order of their indexes.
  RunningJob(const JobSet& set, const ReplicatedJob& job, std::vector<Pod> pods,
             const local::DeploymentFolder& folder);

  const JobStatus& status() const { return status_; }

  void start(const std::string& mark, int64_t restarts);
  // From the beginning, once no pod is left; `alone`: JobSet restarts only this job.
  void wait_for_start(bool alone);

  void step();            // takes in what its pods did, and starts those that may run
  void end();             // SIGTERM for what runs; SIGKILL after the grace period
  bool is_quiet() const;  // none of its pods is left
  bool has_run() const { return has_run_; }  // since all jobs of the JobSet started

  void add_to(std::vector<pollfd>& polled) const;
  const pollfd* take(const pollfd* polled);       // what poll() found there; returns what follows
  std::optional<Clock::time_point> next() const;  // when step() has something to do, without poll()

 private:
  struct Place {
    Pod pod;
    std::unique_ptr<RunningPod> running;
    bool succeeded = false;
    std::optional<Clock::time_point> again;  // replaces a failed pod
  };

  void take_ended(Place& place);
  void start_pods();
  bool may_run(size_t index) const;
  void fail(const std::string& reason);

  const JobSet& set_;
  const ReplicatedJob& job_;
  const local::DeploymentFolder& folder_;
  JobStatus status_;
  std::vector<Place> places_;
  int64_t failures_ = 0, job_restarts_ = 0;
  bool has_run_ = false;
  std::optional<Clock::time_point> deadline_, killing_;
};

}  // namespace slipway::pods
