// Runs the pods of a JobSet on the nodes of a local cluster.
#include "launcher/pods/run.h"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <random>

#include "common/error.h"
#include "common/interrupts.h"
#include "launcher/pods/running_job.h"

namespace slipway::pods {
namespace {

using Clock = std::chrono::steady_clock;

std::string random_mark() {
  std::random_device random;
  return fmt::format("slipway-pod-{:08x}{:08x}", random(), random());
}

class Run {
 public:
  Run(const JobSet& set, const std::vector<Pod>& pods, const local::DeploymentFolder& folder)
      : set_(set) {
    for (const ReplicatedJob& job : set.jobs) {
      for (int64_t replica = 0; replica < job.replicas; ++replica) {
        std::vector<Pod> own;
        std::ranges::copy_if(pods, std::back_inserter(own), [&](const Pod& pod) {
          return pod.job == job.name && pod.replica == replica;
        });
        jobs_.push_back(std::make_unique<RunningJob>(set, job, std::move(own), folder));
      }
    }
  }

  bool run() {
    while (!interrupted_) {
      if (const auto result = result_of_failures()) return *result;
      if (is_complete(set_, statuses())) {
        end_all();
        return true;
      }
      if (!start_jobs()) wait();  // a job without pods changes something at once
    }
    end_all();
    throw Error("interrupted");
  }

 private:
  std::vector<JobStatus> statuses() const {
    std::vector<JobStatus> made;
    for (const auto& job : jobs_) made.push_back(job->status());
    return made;
  }

  // Starts what may start now; whether there was any.
  bool start_jobs() {
    bool any = false;
    const std::vector<JobStatus> now = statuses();
    for (const auto& job : jobs_) {
      const JobStatus& status = job->status();
      if (status.state != JobStatus::State::waiting || !job->is_quiet()) continue;
      // A job that has run before waits for nothing: JobSet made its Job already.
      if (!may_start(*status.job, now) && !job->has_run()) continue;
      job->start(mark_, restarts_);
      any = true;
    }
    return any;
  }

  // Whether the JobSet has failed for good. Takes one failure at a time, as JobSet's controller.
  std::optional<bool> result_of_failures() {
    while (true) {
      const std::vector<JobStatus> now = statuses();
      std::vector<const JobStatus*> failed;
      for (const JobStatus& one : now) {
        if (one.state == JobStatus::State::failed) failed.push_back(&one);
      }
      if (failed.empty()) return std::nullopt;
      if (!follow(decide(set_, failed, counted_))) return false;
    }
  }

  bool follow(const Decision& decision) {
    const std::string rule =
        decision.rule.empty() ? "" : fmt::format(", by the rule `{}`", decision.rule);
    if (decision.action == Decision::Action::fail) {
      fmt::print(stderr, "slipway: the JobSet has failed{}\n", rule);
      end_all();
      return false;
    }
    if (decision.counts) ++counted_;
    const std::string spent =
        fmt::format("{}: {} of {} restarts", rule, counted_, set_.max_restarts);
    if (decision.action == Decision::Action::restart_job) {
      const JobStatus& of = *decision.job;
      fmt::print(stderr, "slipway: the job {}-{}-{} starts again{}\n", set_.name, of.job->name,
                 of.replica, spent);
      for (const auto& job : jobs_) {
        if (job->status().job == of.job && job->status().replica == of.replica) {
          job->wait_for_start(true);
        }
      }
      return true;
    }
    end_all();
    ++restarts_;
    fmt::print(stderr, "slipway: all pods start again{}\n", spent);
    for (const auto& job : jobs_) job->wait_for_start(false);
    return true;
  }

  void wait() {
    std::vector<pollfd> polled{{interrupts_.fd(), POLLIN, 0}};
    std::optional<Clock::time_point> until;
    for (const auto& job : jobs_) {
      job->add_to(polled);
      const auto next = job->next();
      if (next && (!until || *next < *until)) until = next;
    }
    int timeout = -1;
    if (until) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(*until - Clock::now()).count();
      timeout = static_cast<int>(std::clamp<int64_t>(left + 1, 0, 60'000));
    }
    if (::poll(polled.data(), polled.size(), timeout) < 0) {
      if (errno != EINTR) throw_errno("poll");
      for (pollfd& one : polled) one.revents = 0;
    }
    if (interrupts_.take()) interrupted_ = true;
    const pollfd* at = polled.data() + 1;
    for (const auto& job : jobs_) at = job->take(at);
    for (const auto& job : jobs_) job->step();
  }

  bool is_quiet() const {
    return std::ranges::all_of(jobs_, [](const auto& job) { return job->is_quiet(); });
  }

  void end_all() {
    for (const auto& job : jobs_) job->end();
    while (!is_quiet()) wait();
  }

  const JobSet& set_;
  const Interrupts interrupts_;
  const std::string mark_ = random_mark();
  std::vector<std::unique_ptr<RunningJob>> jobs_;
  int64_t restarts_ = 0, counted_ = 0;  // of the JobSet; and those of maxRestarts
  bool interrupted_ = false;
};

}  // namespace

bool run_job_set(const JobSet& set, const std::vector<Pod>& pods,
                 const local::DeploymentFolder& folder) {
  ::signal(SIGPIPE, SIG_IGN);  // a pod may end before it has read its script
  return Run(set, pods, folder).run();
}

}  // namespace slipway::pods
