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
#include "launcher/pods/policy.h"
#include "launcher/pods/running_pod.h"

namespace slipway::pods {
namespace {

using Clock = std::chrono::steady_clock;

std::string random_mark() {
  std::random_device random;
  return fmt::format("slipway-pod-{:08x}{:08x}", random(), random());
}

// One attempt of the JobSet: all pods from their start to their end.
class Attempt {
 public:
  Attempt(const JobSet& set, const std::vector<PlacedPod>& pods,
          const local::DeploymentFolder& folder, const Interrupts& interrupts)
      : set_(set), interrupts_(interrupts) {
    for (const PlacedPod& pod : pods) {
      running_.push_back(std::make_unique<RunningPod>(set, pod, folder));
    }
  }

  // The reason for which a Job failed, or "" if all succeeded.
  std::string run() {
    const auto deadline = Clock::now() + std::chrono::seconds(set_.deadline_seconds);
    while (!all_ended()) {
      wait(set_.deadline_seconds > 0 ? std::optional(deadline) : std::nullopt);
      if (interrupted_) break;
      const std::string reason = failure();
      const bool late = set_.deadline_seconds > 0 && Clock::now() >= deadline && !all_ended();
      if (reason.empty() && !late) continue;
      if (late) {
        fmt::print(stderr, "slipway: the job has reached its deadline of {} s\n",
                   set_.deadline_seconds);
      }
      end_all();
      return late ? "DeadlineExceeded" : reason;
    }
    if (interrupted_) {
      end_all();
      throw Error("interrupted");
    }
    return failure();
  }

 private:
  bool all_ended() const {
    return std::ranges::all_of(running_, [](const auto& pod) { return pod->has_ended(); });
  }

  void wait(std::optional<Clock::time_point> until) {
    std::vector<pollfd> polled;
    for (const auto& pod : running_) pod->add_to(polled);
    polled.push_back({interrupts_.fd(), POLLIN, 0});
    int timeout = -1;
    if (until) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(*until - Clock::now()).count();
      timeout = static_cast<int>(std::clamp<int64_t>(left + 1, 0, 60'000));
    }
    if (::poll(polled.data(), polled.size(), timeout) < 0 && errno != EINTR) throw_errno("poll");
    if (interrupts_.take()) interrupted_ = true;
    for (size_t i = 0; i < running_.size(); ++i) {
      running_[i]->take(&polled[i * RunningPod::entries]);
    }
  }

  // Of the first pod that has failed, unless the rules ignore it.
  std::string failure() {
    for (const auto& pod : running_) {
      if (!pod->has_ended() || pod->code() == 0) continue;
      const std::string reason = reason_of_failure(set_, pod->container(), pod->code());
      if (reason.empty()) continue;
      fmt::print(stderr, "slipway: {} on {} has failed: {} ended with {} ({})\n",
                 pod->placed().pod.name, pod->placed().node,
                 pod->container().empty() ? "it" : "container " + pod->container(), pod->code(),
                 reason);
      return reason;
    }
    return "";
  }

  void end_all() {
    for (const auto& pod : running_) pod->end();
    const auto limit = Clock::now() + std::chrono::seconds(set_.grace_seconds);
    while (!all_ended() && Clock::now() < limit) wait(limit);
    for (const auto& pod : running_) {
      if (!pod->has_ended()) pod->kill();
    }
    while (!all_ended()) wait(Clock::now() + std::chrono::seconds(1));
  }

  const JobSet& set_;
  const Interrupts& interrupts_;
  std::vector<std::unique_ptr<RunningPod>> running_;
  bool interrupted_ = false;
};

}  // namespace

bool run_job_set(const JobSet& set, std::vector<PlacedPod> pods,
                 const local::DeploymentFolder& folder) {
  const Interrupts interrupts;
  ::signal(SIGPIPE, SIG_IGN);  // a pod may end before it has read its script
  const std::string mark = random_mark();
  int64_t counted = 0;
  for (int64_t restarts = 0;; ++restarts) {
    for (PlacedPod& placed : pods) {
      placed.pod.mark = mark;
      placed.pod.restarts = restarts;
    }
    const std::string reason = Attempt(set, pods, folder, interrupts).run();
    if (reason.empty()) return true;
    const Decision decision = decide(set, reason, counted);
    const std::string rule =
        decision.rule.empty() ? "" : fmt::format(", by the rule `{}`", decision.rule);
    if (!decision.restart) {
      fmt::print(stderr, "slipway: the JobSet has failed{}\n", rule);
      return false;
    }
    if (decision.counts) ++counted;
    fmt::print(stderr, "slipway: all pods start again{}: {} of {} restarts\n", rule, counted,
               set.max_restarts);
  }
}

}  // namespace slipway::pods
