// Tests of when the jobs of a JobSet start, why they fail, and what becomes of the JobSet.
#include "launcher/pods/policy.h"

#include "tests/unit/catch.h"

using namespace slipway::pods;
using State = JobStatus::State;
using Action = Decision::Action;

namespace {

ReplicatedJob with_exit_rules() {
  ReplicatedJob job;
  job.exit_rules = {{"FailJob", "tasks", true, {126, 127}},
                    {"Ignore", "tasks", true, {42}},
                    {"FailJob", "", false, {1, 2, 42}}};
  return job;
}

JobSet with_rules() {
  JobSet set;
  set.jobs.resize(2);
  set.jobs[0].name = "driver";
  set.jobs[1].name = "workers";
  set.max_restarts = 2;
  set.failure_rules = {{"time_is_over", "FailJobSet", {"DeadlineExceeded"}, {}},
                       {"of_workers", "RestartJob", {"BackoffLimitExceeded"}, {"workers"}},
                       {"lost", "RestartJobSetAndIgnoreMaxRestarts", {"PodFailurePolicy"}, {}}};
  return set;
}

JobStatus in_state(const ReplicatedJob* job, int64_t replica, State state) {
  return {job, replica, state, false, "", 0};
}

JobStatus failed(const ReplicatedJob& job, int64_t replica, const std::string& reason,
                 int64_t at = 1) {
  return {&job, replica, State::failed, false, reason, at};
}

}  // namespace

TEST_CASE("pods: exit codes decide what a failed pod means, by the first rule that matches") {
  const ReplicatedJob job = with_exit_rules();
  CHECK(judge(job, {{"tasks", 127}}) == PodFailure::fails_job);
  CHECK(judge(job, {{"tasks", 42}}) == PodFailure::ignored);
  CHECK(judge(job, {{"tasks", 1}}) == PodFailure::counted);
  CHECK(judge(job, {{"check-gpus", 1}}) == PodFailure::counted);
  CHECK(judge(job, {{"tasks", 9}}) == PodFailure::fails_job);
  // Rules are about codes of containers that have failed.
  CHECK(judge(job, {{"", 137}}) == PodFailure::counted);
  CHECK(judge(job, {{"log", 0}, {"tasks", 42}}) == PodFailure::ignored);
}

TEST_CASE("pods: rules name reasons and replicated jobs, and maxRestarts limits the rest") {
  const JobSet set = with_rules();
  const JobStatus late = failed(set.jobs[1], 0, "DeadlineExceeded");
  CHECK(decide(set, {&late}, 0).action == Action::fail);
  CHECK(decide(set, {&late}, 0).rule == "time_is_over");

  const JobStatus driver = failed(set.jobs[0], 0, "BackoffLimitExceeded");
  CHECK(decide(set, {&driver}, 1).action == Action::restart_all);
  CHECK(decide(set, {&driver}, 1).rule.empty());
  CHECK(decide(set, {&driver}, 2).action == Action::fail);

  const JobStatus worker = failed(set.jobs[1], 3, "BackoffLimitExceeded");
  CHECK(decide(set, {&worker}, 1).action == Action::restart_job);
  CHECK(decide(set, {&worker}, 1).job == &worker);
  CHECK(decide(set, {&worker}, 2).action == Action::fail);

  const JobStatus lost = failed(set.jobs[0], 0, "PodFailurePolicy");
  CHECK(decide(set, {&lost}, 2).action == Action::restart_all);
  CHECK_FALSE(decide(set, {&lost}, 2).counts);
}

TEST_CASE("pods: of several failures, the first rule wins, and then the first failure") {
  const JobSet set = with_rules();
  const JobStatus driver = failed(set.jobs[0], 0, "PodFailurePolicy", 1);
  const JobStatus second = failed(set.jobs[1], 1, "BackoffLimitExceeded", 3);
  const JobStatus first = failed(set.jobs[1], 0, "BackoffLimitExceeded", 2);
  CHECK(decide(set, {&driver, &second, &first}, 0).rule == "of_workers");
  CHECK(decide(set, {&driver, &second, &first}, 0).job == &first);
}

TEST_CASE("pods: a job starts when those are ready or complete that it depends on") {
  JobSet set = with_rules();
  ReplicatedJob& workers = set.jobs[1];
  std::vector<JobStatus> jobs = {in_state(&set.jobs[0], 0, State::active),
                                 in_state(&set.jobs[0], 1, State::active)};
  CHECK(may_start(workers, jobs));
  workers.depends_on = {{"driver", false}};
  jobs[0].is_ready = true;
  CHECK_FALSE(may_start(workers, jobs));
  jobs[1].state = State::failed;  // it has started, at least
  CHECK(may_start(workers, jobs));
  workers.depends_on = {{"driver", true}};
  jobs[1].state = State::succeeded;
  CHECK_FALSE(may_start(workers, jobs));
  jobs[0].state = State::succeeded;
  CHECK(may_start(workers, jobs));
}

TEST_CASE("pods: the success policy says which jobs have to complete") {
  JobSet set = with_rules();
  std::vector<JobStatus> jobs = {in_state(&set.jobs[0], 0, State::succeeded),
                                 in_state(&set.jobs[1], 0, State::active),
                                 in_state(&set.jobs[1], 1, State::waiting)};
  CHECK_FALSE(is_complete(set, jobs));
  set.success_targets = {"driver"};
  CHECK(is_complete(set, jobs));
  set.success_targets = {"workers"};
  CHECK_FALSE(is_complete(set, jobs));
  set.any_succeeds = true;
  CHECK_FALSE(is_complete(set, jobs));
  jobs[2].state = State::succeeded;
  CHECK(is_complete(set, jobs));
}

TEST_CASE("pods: the backoff limit counts pods, or restarts of containers") {
  ReplicatedJob job;
  job.retries = 0;
  CHECK(has_restarted_too_often(job, 1));
  job.retries = 3;
  CHECK_FALSE(has_restarted_too_often(job, 2));
  CHECK(has_restarted_too_often(job, 3));
  CHECK(seconds_before_retry(1) == 10);
  CHECK(seconds_before_retry(3) == 40);
  CHECK(seconds_before_retry(50) == 600);
}
