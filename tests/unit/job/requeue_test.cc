// Tests of requeueing a job, with fake Slurm programs.
#include "launcher/job/requeue.h"

#include <fmt/core.h>

#include <deque>

#include "common/error.h"
#include "common/text.h"
#include "launcher/job/orphan.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::job;
using Calls = std::vector<std::string>;

namespace {

// A job of ten nodes n-0 … n-9, which asked for five.
std::string job_record(const std::string& more) {
  return "JobId=7 JobName=x Requeue=1 Restarts=2 BatchFlag=1 " + more +
         " Partition=gpu StdErr=/home/7.out\n";
}

const std::string running = job_record("JobState=RUNNING NumNodes=5 ExcNodeList=(null)");
const std::string waiting = job_record("JobState=PENDING NumNodes=5-5 ExcNodeList=(null)");

class FakePrograms : public SlurmPrograms {
 public:
  explicit FakePrograms(std::deque<std::string> records) : records(std::move(records)) {}

  ProcessResult run(const std::vector<std::string>& argv, const std::string& input) override {
    const std::string words = join(argv, " ");
    if (words.starts_with("scontrol show job")) {
      if (records.empty()) return {1, false, "", "Unable to contact slurm controller"};
      const std::string now = records.front();
      if (records.size() > 1) records.pop_front();
      return {0, false, now, ""};
    }
    if (words.starts_with("scontrol show hostnames")) {
      std::string names = argv[3] + "\n";
      for (char& c : names) c = c == ',' ? '\n' : c;
      return {0, false, names, ""};
    }
    if (words.starts_with("sinfo --noheader --Node --nodes=")) {
      if (states.empty()) return {1, false, "", "Unable to contact slurm controller"};
      const std::string now = states.front();
      if (states.size() > 1) states.pop_front();
      return {0, false, now, ""};
    }
    if (words == "sinfo --version") return {0, false, version + "\n", ""};
    if (argv[0] == "sinfo") {
      std::string names;
      for (int i = 0; i < 10; ++i) names += "n-" + std::to_string(i) + "\n";
      return {0, false, names, ""};
    }
    if (words == "scontrol write batch_script 7 -") return {0, false, script, ""};
    if (argv[0] == "env") {
      const bool fits = words.find("--exclude") == words.npos ? fits_at_all : fits_without;
      return fits ? ProcessResult{0, false, "", "sbatch: Job 8 to start at …"}
                  : ProcessResult{1, false, "",
                                  "allocation failure: Requested node configuration is not "
                                  "available"};
    }
    calls.push_back(words + (input.empty() ? "" : " < " + std::string(trim(input))));
    if (words == "scontrol requeue 7" && !requeue_error.empty())
      return {1, false, "", requeue_error};
    return {};
  }
  void pause(std::chrono::milliseconds time) override { paused += time; }

  std::deque<std::string> records;  // of the job, one after the other; the last stays
  std::deque<std::string> states;   // of nodes, in the same way
  std::chrono::milliseconds paused{};
  bool fits_at_all = true, fits_without = true;
  std::string requeue_error;
  std::string version = "slurm-wlm 22.05.8";
  std::string script = "#!/bin/sh\n";
  Calls calls;
};

const JobRun run = {"7", 2};

RequeueResult give(FakePrograms& slurm, const std::vector<std::string>& bad = {"n-0"}) {
  return requeue_job(run, bad, "node gone: n-0", slurm);
}

bool ended_because(FakePrograms& slurm, const RequeueResult& outcome, const std::string& why) {
  CHECK(outcome.what == RequeueOutcome::ended);
  CHECK(outcome.text.find(why) != std::string::npos);
  CHECK(outcome.text.find("node gone: n-0") != std::string::npos);
  CHECK(slurm.calls.size() >= 3);
  const size_t last = slurm.calls.size() - 1;
  return slurm.calls[last - 2].starts_with(
             "scontrol update JobId=7 Comment=slipway launch: job 7 "
             "cannot be requeued: ") &&
         slurm.calls[last - 1].starts_with("tee --append /home/7.out < slipway launch: ") &&
         slurm.calls[last] == "scancel 7";
}

}  // namespace

TEST_CASE("requeue: a job is requeued without its bad nodes") {
  FakePrograms slurm({running, waiting});
  CHECK(give(slurm, {"n-0", "n-3"}).what == RequeueOutcome::requeued);
  CHECK(slurm.calls == Calls{"scontrol update JobId=7 Comment=slipway launch: node gone: n-0",
                             "scontrol requeue 7", "scontrol update JobId=7 ExcNodeList=n-0,n-3"});
}

TEST_CASE("requeue: nodes that the user excluded stay excluded") {
  FakePrograms slurm({running, job_record("JobState=PENDING NumNodes=5 ExcNodeList=n-8,n-9")});
  CHECK(give(slurm).what == RequeueOutcome::requeued);
  CHECK(slurm.calls.back() == "scontrol update JobId=7 ExcNodeList=n-0,n-8,n-9");
}

TEST_CASE("requeue: a run that is over is left alone") {
  for (const std::string& now :
       {waiting, job_record("JobState=COMPLETING"), job_record("JobState=CANCELLED"),
        std::string("JobId=7 JobState=RUNNING Requeue=1 Restarts=3 BatchFlag=1\n")}) {
    FakePrograms slurm({now});
    CHECK(give(slurm).what == RequeueOutcome::another);
    CHECK(slurm.calls.empty());
    CHECK_FALSE(is_current(run, slurm));
  }
  FakePrograms faster({running, waiting});
  faster.requeue_error = "Job is pending execution for job 7";
  CHECK(give(faster).what == RequeueOutcome::another);
}

TEST_CASE("requeue: a job that cannot be requeued ends with the reason") {
  FakePrograms salloc(
      {"JobId=7 JobState=RUNNING Requeue=1 Restarts=2 BatchFlag=0 StdErr=/home/7.out\n"});
  CHECK(ended_because(salloc, give(salloc), "it has no batch script"));
  FakePrograms once(
      {"JobId=7 JobState=RUNNING Requeue=0 Restarts=2 BatchFlag=1 StdErr=/home/7.out\n"});
  CHECK(ended_because(once, give(once), "--no-requeue forbids it"));
  FakePrograms refused({running});
  refused.requeue_error = "Requested operation is presently disabled";
  CHECK(ended_because(refused, give(refused), "presently disabled"));
}

TEST_CASE("requeue: a job that could never start again ends with the reason") {
  FakePrograms few({running, job_record("JobState=PENDING NumNodes=10-12")});
  CHECK(ended_because(few, give(few), "it needs 10 nodes, but only 9 are"));
  FakePrograms named({running, job_record("JobState=PENDING NumNodes=2 ReqNodeList=n-0,n-1")});
  CHECK(ended_because(named, give(named), "it requests n-0 with --nodelist"));
  FakePrograms special({running, waiting});
  special.fits_without = false;
  CHECK(ended_because(special, give(special), "no other nodes satisfy its request"));
}

TEST_CASE("requeue: while a job completes, its script or its allocation determines its nodes") {
  const std::string held = job_record("JobState=RUNNING NumNodes=7 TRES=cpu=80,node=8,billing=80");
  const std::string completes = job_record("JobState=COMPLETING NumNodes=1 TRES=cpu=80,node=8");
  FakePrograms all({held, completes});
  CHECK(ended_because(all, give(all, {"n-0", "n-1", "n-2"}), "it needs 8 nodes, but only 7 are"));
  for (const char* line : {"#SBATCH --nodes=2-8", "#SBATCH -N 2-8", "#SBATCH --time=1 -N2-8"}) {
    FakePrograms range({held, completes});
    range.script = fmt::format("#!/bin/sh\n# of ours\n{}\ntrue\n#SBATCH --nodes=9\n", line);
    CHECK(give(range, {"n-0", "n-1", "n-2"}).what == RequeueOutcome::requeued);
  }
}

TEST_CASE("requeue: if nodes are only drained, the job waits for them") {
  FakePrograms slurm({running, waiting});
  slurm.fits_at_all = slurm.fits_without = false;
  CHECK(give(slurm).what == RequeueOutcome::requeued);
  FakePrograms several({running, job_record("JobState=PENDING NumNodes=2-10")});
  CHECK(give(several, {"n-0", "n-1", "n-2"}).what == RequeueOutcome::requeued);
}

TEST_CASE("requeue: nothing is done if Slurm does not answer") {
  FakePrograms slurm({});
  CHECK_THROWS_AS(give(slurm), Error);
  CHECK_THROWS_AS(is_current(run, slurm), Error);
  CHECK(slurm.calls.empty());
}

TEST_CASE("requeue: an agent stays until Slurm no longer waits for the bad nodes") {
  FakePrograms slurm({waiting});
  slurm.states = {"n-0|IDLE+COMPLETING|\nn-1|IDLE+COMPLETING|\n",
                  "n-0|IDLE+COMPLETING+NOT_RESPONDING|\nn-1|ALLOCATED|\n",
                  "n-0|DOWN+COMPLETING|\nn-1|idle|\n"};
  stay_until_free({"n-0", "n-1"}, slurm);
  CHECK(slurm.paused == std::chrono::seconds(2));
  CHECK(slurm.calls.empty());
  FakePrograms silent({});
  stay_until_free({"n-0"}, silent);  // Slurm ends us before, as a rule
  CHECK(silent.paused == std::chrono::seconds(120));
  FakePrograms newer({});
  newer.version = GENERATE("slurm-wlm 23.02.2", "slurm 24.11.5", "slurm 26.05.0-0rc1");
  stay_until_free({"n-0"}, newer);
  CHECK(newer.paused.count() == 0);
  FakePrograms almost({});
  almost.version = GENERATE("slurm 23.02.1", "slurm-wlm 23.02.0", "slurm 22.05", "");
  stay_until_free({"n-0"}, almost);
  CHECK(almost.paused == std::chrono::seconds(120));
  FakePrograms none({});
  stay_until_free({}, none);
  CHECK(none.paused.count() == 0);
}

TEST_CASE("requeue: fields of a job's record") {
  CHECK(job_field("JobId=7 NumNodes=5-5 ReqNodeList=(null)\n", "NumNodes") == "5-5");
  CHECK(job_field("JobId=7 NumNodes=5-5 ReqNodeList=(null)\n", "ReqNodeList").empty());
  CHECK(job_field("JobId=7 ReqNodeList=n-1\n", "NodeList").empty());
  CHECK(submit_line_of("JobId=7 SubmitLine=sbatch -N 2 x.sh WorkDir=/\n") ==
        "sbatch -N 2 x.sh WorkDir=/\n");
  CHECK(submit_line_of("JobId=7 WorkDir=/\n").empty());
}

TEST_CASE("orphan: agents act one after another, all of a thousand within 20 s") {
  CHECK(turn_of(1, 4).count() == 0);
  CHECK(turn_of(2, 4).count() == 2000);
  CHECK(turn_of(0, 4).count() == 0);  // the launcher was elsewhere
  CHECK(turn_of(6, 1000).count() == 10000);
  CHECK(turn_of(7, 1000).count() > 12000);
  CHECK(turn_of(999, 1000).count() <= 20000);
}
