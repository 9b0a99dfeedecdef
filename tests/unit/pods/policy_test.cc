// Tests of what becomes of a JobSet whose pod has failed.
#include "launcher/pods/policy.h"

#include "tests/unit/catch.h"

using namespace slipway::pods;

namespace {

JobSet with_rules() {
  JobSet set;
  set.max_restarts = 2;
  set.failure_rules = {{"time_is_over", "FailJobSet", {"DeadlineExceeded"}},
                       {"lost", "RestartJobSetAndIgnoreMaxRestarts", {"PodFailurePolicy"}}};
  set.exit_rules = {{"FailJob", "tasks", true, {126, 127}},
                    {"Ignore", "tasks", true, {42}},
                    {"FailJob", "", false, {0, 1, 2, 42}}};
  return set;
}

}  // namespace

TEST_CASE("pods: exit codes decide why a Job fails, by the first rule that matches") {
  const JobSet set = with_rules();
  CHECK(reason_of_failure(set, "tasks", 127) == "PodFailurePolicy");
  CHECK(reason_of_failure(set, "tasks", 42).empty());
  CHECK(reason_of_failure(set, "tasks", 1) == "BackoffLimitExceeded");
  CHECK(reason_of_failure(set, "check-gpus", 1) == "BackoffLimitExceeded");
  CHECK(reason_of_failure(set, "tasks", 9) == "PodFailurePolicy");
}

TEST_CASE("pods: rules name reasons, and maxRestarts limits the rest") {
  const JobSet set = with_rules();
  CHECK_FALSE(decide(set, "DeadlineExceeded", 0).restart);
  CHECK(decide(set, "DeadlineExceeded", 0).rule == "time_is_over");
  CHECK(decide(set, "BackoffLimitExceeded", 1).restart);
  CHECK_FALSE(decide(set, "BackoffLimitExceeded", 2).restart);
  CHECK(decide(set, "PodFailurePolicy", 2).restart);
  CHECK_FALSE(decide(set, "PodFailurePolicy", 2).counts);
}
