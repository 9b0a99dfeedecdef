// Tests of metrics of jobs: what the launcher writes, and what users could write instead.
#include "launcher/observe/job_metrics.h"

#include <unistd.h>

#include "common/error.h"
#include "common/file.h"
#include "launcher/health/slots.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::job;
using namespace slipway::observe;

namespace {

Entry entry(Event event, int64_t seconds, int64_t attempt) {
  Entry entry;
  entry.event = event;
  entry.time_ms = seconds * 1000;
  entry.job = "7";
  entry.attempt = attempt;
  return entry;
}

Entry progress(int64_t seconds, int64_t attempt, int64_t step) {
  Entry made = entry(Event::progress, seconds, attempt);
  made.step = step;
  return made;
}

// Fails on n-1 at 100 s after 90 steps, resumes at step 60 on a spare.
JobStateFollower failed_once() {
  JobStateFollower follower;
  follower.add(entry(Event::job, 0, 0));
  Entry start = entry(Event::start, 0, 1);
  start.nodes = {"n-0", "n-1"};
  start.spares = {"n-2"};
  follower.add(start);
  follower.add(progress(10, 1, 0));
  follower.add(progress(100, 1, 90));
  Entry failure = entry(Event::failure, 105, 1);
  failure.what = "exit";
  failure.blame = "node";
  failure.node = "n-1";
  follower.add(failure);
  start = entry(Event::start, 110, 2);
  start.nodes = {"n-0", "n-2"};
  follower.add(start);
  follower.add(progress(120, 2, 60));
  follower.add(progress(180, 2, 120));
  return follower;
}

}  // namespace

TEST_CASE("job metrics: goodput and badput add up to the job's time") {
  MetricSet set;
  add_job(set, "7", failed_once().state());
  const std::string text = set.text();
  for (const char* sample :
       {"slipway_job_attempts{job=\"7\"} 2\n", "slipway_job_spare_nodes{job=\"7\"} 0\n",
        "slipway_job_blamed_nodes{job=\"7\"} 1\n", "slipway_job_step{job=\"7\"} 120\n",
        "slipway_job_failures{job=\"7\",blame=\"node\"} 1\n",
        "slipway_job_failures{job=\"7\",blame=\"application\"} 0\n",
        "slipway_job_steps_kept{job=\"7\"} 120\n", "slipway_job_steps_lost{job=\"7\"} 30\n",
        "slipway_job_goodput_seconds{job=\"7\"} 120\n",
        "slipway_job_badput_seconds{job=\"7\",type=\"WASTED_PROGRESS_FROM_DISRUPTION\"} 30\n",
        "slipway_job_badput_seconds{job=\"7\",type=\"INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION\"} "
        "10\n",
        "slipway_job_badput_seconds{job=\"7\",type=\"PROGRAM_STARTUP\"} 20\n"}) {
    CAPTURE(sample, text);
    CHECK(text.find(sample) != text.npos);
  }
}

TEST_CASE("job metrics: a job whose program reports no steps has no goodput") {
  JobStateFollower follower;
  follower.add(entry(Event::job, 0, 0));
  follower.add(entry(Event::start, 1, 1));
  MetricSet set;
  add_job(set, "7", follower.state());
  CHECK(set.text().find("goodput") == std::string::npos);
  CHECK(set.text().find("slipway_job_attempts{job=\"7\"} 1\n") != std::string::npos);
}

TEST_CASE("job metrics: the state of a long job stays small, and its sums stay right") {
  JobStateFollower follower;
  follower.add(entry(Event::job, 0, 0));
  follower.add(entry(Event::start, 0, 1));
  constexpr int64_t steps = 100'000;
  for (int64_t i = 0; i <= steps; ++i) follower.add(progress(i, 1, i));
  CHECK(follower.size() < 5000);
  const JobState state = follower.state();
  CHECK(state.step == steps);
  CHECK(state.steps == steps);
  CHECK(state.phase_ms[static_cast<size_t>(Phase::productive)] == steps * 1000);
}

TEST_CASE("job metrics: a job's state is read back as it was written, within a slot") {
  JobState state = failed_once().state();
  state.heartbeat_ms = 1764104261000;
  state.millijoules = 999'999'999'999'999;
  state.phase_ms.fill(999'999'999'999'999);
  const std::string text = to_text(state);
  CHECK(text.size() <= health::largest_slot_text);
  CHECK(to_text(parse_job_state(text)) == text);
}

TEST_CASE("job metrics: only the numbers of a state are accepted") {
  const std::string good = to_text(failed_once().state());
  for (const std::string& wrong :
       {std::string(), std::string("slipway-job-1"), std::string("slipway-job-2 1 1"), good + " 1",
        good + "\n", good.substr(0, good.rfind(' ')), good + "x", "{\"job\":1}" + good}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(parse_job_state(wrong), Error);
  }
}

TEST_CASE("job metrics: of users' files, those that root made for a job are read") {
  const TemporaryDirectory folder;
  health::prepare_slots(folder.path());
  REQUIRE(health::assign_slot(folder.path(), "7", ::geteuid(), true));
  REQUIRE(health::assign_slot(folder.path(), "8", ::geteuid(), true));
  REQUIRE(health::assign_slot(folder.path(), "9", ::geteuid(), true));
  REQUIRE(health::write_slot(folder / "7", to_text(failed_once().state())));
  REQUIRE(health::write_slot(folder / "8", "9 lives} 1\n"));
  MetricSet set;
  add_jobs(set, "n", folder.path());
  CHECK(set.text().find("{job=\"7\"}") != std::string::npos);
  CHECK(set.text().find("{job=\"8\"}") == std::string::npos);
  CHECK(set.text().find("{job=\"9\"}") == std::string::npos);

  health::release_slot(folder.path(), "7");
  CHECK_FALSE(health::write_slot(folder / "7", "gone"));
  MetricSet after;
  add_jobs(after, "n", folder.path());
  CHECK(after.text().find("{job=") == std::string::npos);
  CHECK(after.text().find("slipway_node_jobs{node=\"n\"} 2\n") != std::string::npos);
}
