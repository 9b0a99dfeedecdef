// What JobSet and Kubernetes do with the jobs of a JobSet: when they start, why they fail, and what
// follows.
//
// Sources: kubernetes-sigs/jobset 0.12, pkg/controllers (depends_on.go, startup_policy.go,
// success_policy.go, failure_policy.go), and Kubernetes 1.33, pkg/controller/job.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/pods/job_set.h"

namespace slipway::pods {

// A job: one replica of a replicated job.
struct JobStatus {
  enum class State { waiting, active, succeeded, failed };
  const ReplicatedJob* job = nullptr;
  int64_t replica = 0;
  State state = State::waiting;
  bool is_ready = false;  // all its pods run, or have succeeded
  std::string reason;     // of a failure: "BackoffLimitExceeded"
  int64_t failed_at = 0;  // orders failures
};

// Whether the jobs of this replicated job may start: those that it depends on are that far.
bool may_start(const ReplicatedJob& job, const std::vector<JobStatus>& jobs);

// Whether the JobSet has completed, by its success policy.
bool is_complete(const JobSet& set, const std::vector<JobStatus>& jobs);

// How a container ended.
struct Ended {
  std::string container;  // empty: its node ended the pod
  int64_t code = 0;
};

// What a failed pod means for its job.
enum class PodFailure { ignored, counted, fails_job };

PodFailure judge(const ReplicatedJob& job, const std::vector<Ended>& containers);

// The reason of failurePolicy's rules that goes with it.
inline constexpr const char* too_many_failures = "BackoffLimitExceeded";
inline constexpr const char* failed_by_rule = "PodFailurePolicy";
inline constexpr const char* too_late = "DeadlineExceeded";

// Whether a job fails in whose pods containers started again this often (restartPolicy OnFailure).
bool has_restarted_too_often(const ReplicatedJob& job, int64_t restarts);

// Seconds until a job replaces a failed pod, after this many failures.
int64_t seconds_before_retry(int64_t failures);

struct Decision {
  enum class Action { fail, restart_all, restart_job };
  Action action = Action::fail;
  bool counts = true;              // the restart is one of maxRestarts
  std::string rule;                // that decided; empty: maxRestarts alone
  const JobStatus* job = nullptr;  // whose failure it is about
};

// `failed`: at least one job. `restarts`: those that counted so far.
Decision decide(const JobSet& set, const std::vector<const JobStatus*>& failed, int64_t restarts);

}  // namespace slipway::pods
