// What JobSet and Kubernetes do with the jobs of a JobSet.
#include "launcher/pods/policy.h"

#include <algorithm>

namespace slipway::pods {
namespace {

using State = JobStatus::State;

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

bool is_that_far(const JobStatus& job, bool completed) {
  if (completed) return job.state == State::succeeded;
  return job.state == State::succeeded || job.state == State::failed || job.is_ready;
}

// The job that failed first.
const JobStatus* first(const std::vector<const JobStatus*>& failed) {
  const auto found = std::ranges::min_element(failed, {}, &JobStatus::failed_at);
  return found == failed.end() ? nullptr : *found;
}

}  // namespace

bool may_start(const ReplicatedJob& job, const std::vector<JobStatus>& jobs) {
  return std::ranges::all_of(job.depends_on, [&](const Dependency& on) {
    return std::ranges::all_of(jobs, [&](const JobStatus& other) {
      return other.job->name != on.job || is_that_far(other, on.completed);
    });
  });
}

bool is_complete(const JobSet& set, const std::vector<JobStatus>& jobs) {
  int64_t expected = 0, succeeded = 0;
  for (const JobStatus& one : jobs) {
    if (!is_in(set.success_targets, one.job->name)) continue;
    ++expected;
    if (one.state == State::succeeded) ++succeeded;
  }
  return succeeded >= (set.any_succeeds ? 1 : expected);
}

PodFailure judge(const ReplicatedJob& job, const std::vector<Ended>& containers) {
  const auto matches = [](const ExitRule& rule, const Ended& ended) {
    if (ended.code == 0 || ended.container.empty()) return false;
    if (!rule.container.empty() && rule.container != ended.container) return false;
    return (std::ranges::find(rule.codes, ended.code) != rule.codes.end()) == rule.in;
  };
  for (const ExitRule& rule : job.exit_rules) {
    const bool any =
        std::ranges::any_of(containers, [&](const Ended& ended) { return matches(rule, ended); });
    if (!any) continue;
    if (rule.action == "Ignore") return PodFailure::ignored;
    if (rule.action == "FailJob") return PodFailure::fails_job;
    return PodFailure::counted;
  }
  return PodFailure::counted;
}

bool has_restarted_too_often(const ReplicatedJob& job, int64_t restarts) {
  return job.retries == 0 ? restarts > 0 : restarts >= job.retries;
}

int64_t seconds_before_retry(int64_t failures) {
  constexpr int64_t longest = 600;
  int64_t seconds = 10;
  for (int64_t i = 1; i < failures && seconds < longest; ++i) seconds *= 2;
  return std::min(seconds, longest);
}

Decision decide(const JobSet& set, const std::vector<const JobStatus*>& failed, int64_t restarts) {
  const bool left = restarts < set.max_restarts;
  for (const FailureRule& rule : set.failure_rules) {
    std::vector<const JobStatus*> matched;
    std::ranges::copy_if(failed, std::back_inserter(matched), [&](const JobStatus* one) {
      return is_in(rule.reasons, one->reason) && is_in(rule.targets, one->job->name);
    });
    if (matched.empty()) continue;
    const bool ignores = rule.action.ends_with("AndIgnoreMaxRestarts");
    Decision made{Decision::Action::fail, !ignores, rule.name, first(matched)};
    if (rule.action == "FailJobSet" || (!ignores && !left)) return made;
    made.action = rule.action.starts_with("RestartJobSet") ? Decision::Action::restart_all
                                                           : Decision::Action::restart_job;
    return made;
  }
  return {left ? Decision::Action::restart_all : Decision::Action::fail, true, "", first(failed)};
}

}  // namespace slipway::pods
