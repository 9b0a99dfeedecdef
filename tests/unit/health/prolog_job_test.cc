// Tests of how a job leaves a node that its prolog found unfit, with a fake Slurm.
#include "launcher/health/prolog_job.h"

#include "common/error.h"
#include "common/text.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::health;
using Calls = std::vector<std::string>;

namespace {

// Answers squeue with `answers`, one after another, and everything else with success.
class FakeJob : public JobOfSlurm {
 public:
  explicit FakeJob(std::vector<std::string> squeue) : answers(std::move(squeue)) {}

  ProcessResult run(const std::vector<std::string>& argv) override {
    if (argv[0] != "squeue") {
      calls.push_back(join(argv, " "));
      return {argv[0] == "scancel" ? scancel_status : 0, false, "", ""};
    }
    if (answers.empty()) return {1, false, "", "slurm_load_jobs error: Invalid job id specified"};
    asked.push_back(argv[3]);
    const std::string answer = answers.front();
    if (answers.size() > 1) answers.erase(answers.begin());
    return {0, false, answer, ""};
  }

  void wait(std::chrono::milliseconds time) override {
    calls.push_back("wait " + std::to_string(time.count()));
  }

  std::vector<std::string> answers;
  int scancel_status = 0;
  Calls calls, asked;
};

bool ends(FakeJob& job) {
  return end_job_of_prolog("7", "n-1", "gpu_count: 7 of 8", job);
}

}  // namespace

TEST_CASE(
    "prolog job: an interactive job gets the reason, from its other nodes too, and is ended, "
    "because slurmd must not do it") {
  FakeJob job({"CONFIGURING         |0|0|0|\n"});
  CHECK(ends(job));
  CHECK(job.calls ==
        Calls{"scontrol notify 7 Prolog failure on node n-1: gpu_count: 7 of 8",
              "scontrol update JobId=7 AdminComment=node n-1 was unfit: gpu_count: 7 of 8",
              "wait 1000", "scancel 7"});
}

TEST_CASE("prolog job: a batch job that may not be requeued is ended too") {
  FakeJob job({"RUNNING|1|0|0|\n"});
  CHECK(ends(job));
  CHECK(job.calls.back() == "scancel 7");
}

TEST_CASE("prolog job: a batch job is left to Slurm, which requeues it") {
  FakeJob job({"CONFIGURING|1|1|0|\n"});
  CHECK_FALSE(ends(job));
  CHECK(job.calls.empty());
}

TEST_CASE("prolog job: a job that another node has ended is not ended again") {
  FakeJob job({"CANCELLED|0|0|0|\n"});
  CHECK(ends(job));
  CHECK(job.calls.empty());
  FakeJob meanwhile({"RUNNING|0|0|0|\n", "COMPLETING|0|0|0|\n"});
  meanwhile.scancel_status = 1;
  CHECK(ends(meanwhile));
}

TEST_CASE("prolog job: of a heterogeneous job, the leader is queried and ended") {
  FakeJob job({"RUNNING|0|0|5|\n", "RUNNING|0|0|5|\n"});
  CHECK(ends(job));
  CHECK(job.asked == Calls{"--jobs=7", "--jobs=5"});
  CHECK(job.calls.back() == "scancel 5");
}

TEST_CASE("prolog job: the prolog fails if the job cannot be queried or ended") {
  FakeJob silent({});
  CHECK_FALSE(ends(silent));
  FakeJob garbage({"what\n"});
  CHECK_FALSE(ends(garbage));
  FakeJob stubborn({"RUNNING|0|0|0|\n"});
  stubborn.scancel_status = 1;
  CHECK_FALSE(ends(stubborn));
}
