// Tests of helper jobs, with fake Slurm programs.
#include "launcher/job/helpers.h"

#include <algorithm>

#include "common/text.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::job;
using namespace std::chrono_literals;

namespace {

class FakeQueue : public SlurmPrograms {
 public:
  ProcessResult run(const std::vector<std::string>& argv, const std::string& input) override {
    const std::string words = join(argv, " ");
    if (!answers) return {1, false, "", "Unable to contact slurm controller"};
    if (argv[0] == "scontrol")
      return {0, false,
              "JobId=7 Partition=gpu Account=(null) QOS=normal Features=(null) MinMemoryNode=4G "
              "TresPerNode=gres:gpu:8 \n",
              ""};
    if (words.find("--format=%L") != words.npos) return {0, false, "1-02:03:04\n", ""};
    if (argv[0] == "squeue") {
      std::string lines;
      for (const auto& [number, state] : jobs) lines += std::to_string(number) + "|" + state + "\n";
      return {0, false, lines, ""};
    }
    if (argv[0] == "scancel") {
      cancelled.push_back(argv.back());
      if (const auto number = to_number<int64_t>(argv.back())) jobs.erase(*number);
      return {};
    }
    const auto begin = std::ranges::find(argv, "sbatch");
    REQUIRE(begin != argv.end());
    submitted.emplace_back(begin, argv.end());
    script = input;
    if (!refusal.empty()) return {1, false, "", refusal};
    jobs[++last] = "PENDING|";
    return {0, false, std::to_string(last) + ";cluster\n", ""};
  }
  void pause(std::chrono::milliseconds) override {}

  bool answers = true;
  std::string refusal, script;
  int64_t last = 7;
  std::map<int64_t, std::string> jobs;  // "STATE|NODE"
  std::vector<std::vector<std::string>> submitted;
  std::vector<std::string> cancelled;
};

struct Helped {
  FakeQueue slurm;
  HelperJobs helpers{{"7",
                      {{"SLIPWAY_LAUNCH_KEY", "secret"}},
                      {"srun", "slipway launch", "--agent"},
                      "/home/h.out"},
                     slurm};
  HelperJobs::Clock::time_point now{100h};
};

}  // namespace

TEST_CASE("helpers: a job for each missing node, like the job that it helps") {
  Helped f;
  CHECK(f.helpers.tend(0, {}, {}, f.now).empty());
  CHECK(f.helpers.tend(2, {}, {"n4"}, f.now) ==
        std::vector<std::string>{"job 8 brings a node as soon as one is free",
                                 "job 9 brings a node as soon as one is free"});
  CHECK(f.slurm.submitted[0] ==
        std::vector<std::string>{"sbatch", "--parsable", "--job-name=slipway-grow-7",
                                 "--output=/home/h.out", "--open-mode=append", "--nodes=1",
                                 "--ntasks=1", "--exclusive", "--no-requeue", "--partition=gpu",
                                 "--qos=normal", "--mem=4G", "--gres=gpu:8", "--time=1-02:03:04",
                                 "--exclude=n4"});
  CHECK(f.slurm.script ==
        "#!/bin/bash\nexport SLIPWAY_LAUNCH_KEY=secret\nexec srun 'slipway launch' --agent\n");
  // Once is enough.
  CHECK(f.helpers.tend(2, {}, {"n4"}, f.now + 1h).empty());
  CHECK(f.slurm.submitted.size() == 2);
}

TEST_CASE("helpers: a node that has joined is no longer expected") {
  Helped f;
  f.helpers.tend(2, {}, {}, f.now);
  f.slurm.jobs[8] = "RUNNING|n1";
  CHECK(f.helpers.tend(1, {"n1"}, {}, f.now).empty());
  CHECK(f.slurm.submitted.size() == 2);
  CHECK(f.slurm.cancelled.empty());
  // It ends: the node is missing again, but it did join.
  f.slurm.jobs.erase(8);
  CHECK(f.helpers.tend(2, {}, {}, f.now) ==
        std::vector<std::string>{"job 10 brings a node as soon as one is free"});
}

TEST_CASE("helpers: jobs that wait are cancelled when nothing is missing") {
  Helped f;
  f.helpers.tend(2, {}, {}, f.now);
  f.slurm.jobs[8] = "RUNNING|n1";
  f.helpers.tend(0, {"n1"}, {}, f.now);
  CHECK(f.slurm.cancelled == std::vector<std::string>{"9"});
  CHECK(f.helpers.tend(0, {"n1"}, {}, f.now).empty());
  CHECK(f.helpers.size() == 1);
}

TEST_CASE("helpers: after a failure, the pause grows") {
  Helped f;
  f.slurm.refusal = "Invalid account";
  CHECK(f.helpers.tend(1, {}, {}, f.now) ==
        std::vector<std::string>{"cannot submit a job for another node: Invalid account"});
  int tries = 1;
  for (auto after = 0s; after < 3600s; after += 1s) {
    f.helpers.tend(1, {}, {}, f.now + after);
    tries = static_cast<int>(f.slurm.submitted.size());
  }
  CHECK(tries >= 8);
  CHECK(tries <= 14);
}

TEST_CASE("helpers: a job that ends before its node joins is a failure") {
  Helped f;
  f.helpers.tend(1, {}, {}, f.now);
  f.slurm.jobs.clear();
  CHECK(f.helpers.tend(1, {}, {}, f.now) ==
        std::vector<std::string>{"job 8 ended before its node joined: see /home/h.out"});
  CHECK(f.slurm.submitted.size() == 1);
  CHECK(f.helpers.tend(1, {}, {}, f.now + 10s).size() == 1);
  CHECK(f.slurm.submitted.size() == 2);
}

TEST_CASE("helpers: while Slurm does not answer, nothing is concluded") {
  Helped f;
  f.helpers.tend(1, {}, {}, f.now);
  f.slurm.answers = false;
  CHECK(f.helpers.tend(2, {}, {}, f.now).empty());
  f.slurm.answers = true;
  CHECK(f.helpers.tend(2, {}, {}, f.now).size() == 1);
}

TEST_CASE("helpers: at the end, all are cancelled, also those of an earlier launcher") {
  Helped f;
  f.helpers.end();
  CHECK(f.slurm.cancelled.empty());
  f.helpers.end(true);
  CHECK(f.slurm.cancelled == std::vector<std::string>{"--name=slipway-grow-7"});
  f.helpers.tend(1, {}, {}, f.now);
  f.helpers.end();
  CHECK(f.slurm.cancelled == std::vector<std::string>{"--name=slipway-grow-7", "8"});
}
