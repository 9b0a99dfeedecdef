// Tests of requeueing a job that slurmd started without its prolog.
#include "spank-plugins/node_health/left_out.h"

#include "common/file.h"
#include "common/text.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::node_health;

namespace {

namespace fs = std::filesystem;

// Slurm's answers to squeue and scontrol, and the calls that were made.
struct FakeSlurm {
  ProcessResult squeue, scontrol = {};
  std::optional<ProcessResult> squeue_after = {};  // after scontrol; if not, the same as before
  std::vector<std::string> calls = {};

  std::string queue_again(uint32_t job) {
    return node_health::queue_again(job, [&](const std::vector<std::string>& argv) {
      if (argv[0] == "/usr/bin/squeue") return squeue;
      calls.push_back(join(argv, " "));
      if (squeue_after) squeue = *squeue_after;
      return scontrol;
    });
  }
};

ProcessResult says(const std::string& output) {
  return {0, false, output, ""};
}

}  // namespace

TEST_CASE("left out: a job has its own /tmp below the node's folder, or below the base path") {
  const TemporaryDirectory folder;
  const auto conf = folder / "job_container.conf";
  CHECK_FALSE(lacks_own_tmp(conf, 7));  // jobs share the node's /tmp
  write_file(conf, "AutoBasePath=true\nBasePath=" + (folder / "jobs").string() + " Dirs=/tmp\n");
  CHECK_FALSE(lacks_own_tmp(conf, 7));  // slurmd has yet to make it
  make_directories(folder / "jobs/node-1");
  CHECK(lacks_own_tmp(conf, 7));
  make_directories(folder / "jobs/node-1/7");
  CHECK(lacks_own_tmp(conf, 7));  // what a first start left: its namespace is gone
  write_file(folder / "jobs/node-1/7/.ns", "");
  CHECK(lacks_own_tmp(conf, 7));
  fs::remove(folder / "jobs/node-1/7/.ns");
  fs::create_symlink("/proc/self/ns/mnt", folder / "jobs/node-1/7/.ns");
  CHECK_FALSE(lacks_own_tmp(conf, 7));
  make_directories(folder / "jobs/8/.ns");  // Slurm 25.11
  CHECK_FALSE(lacks_own_tmp(conf, 8));
  CHECK(lacks_own_tmp(conf, 9));
}

TEST_CASE("left out: a batch job is requeued, a heterogeneous one as a whole") {
  FakeSlurm slurm{says("1|0|0|RUNNING|\n")};
  CHECK(slurm.queue_again(7) ==
        "slurmd started the job here without its prolog and its own /tmp: requeued it");
  slurm.squeue = says("1                   |2|6|RUNNING|\n1|0|6|PENDING|\n");
  slurm.queue_again(7);
  CHECK(slurm.calls ==
        std::vector<std::string>{"/usr/bin/scontrol requeue 7", "/usr/bin/scontrol requeue 6"});
}

TEST_CASE("left out: a job that is not requeued gets the reason") {
  const auto [answer, told] = GENERATE(
      table<std::string, std::string>({{"0|0|0|RUNNING|\n", ": submit it again"},
                                       {"1|20|0|RUNNING|\n", "; it was already requeued 20 times"},
                                       {"", "; Slurm does not know the job"}}));
  FakeSlurm slurm{says(answer)};
  CHECK(slurm.queue_again(7) ==
        "slurmd started the job here without its prolog and its own /tmp" + told);
  CHECK(slurm.calls.empty());
}

TEST_CASE("left out: a job that was canceled stays so, although its /tmp went before its task") {
  const std::string state =
      GENERATE("COMPLETING", "CANCELLED", "COMPLETED", "FAILED", "TIMEOUT", "PENDING");
  FakeSlurm slurm{says("1|0|0|" + state + "|\n")};
  CHECK(slurm.queue_again(7) == "");
  CHECK(slurm.calls.empty());
}

TEST_CASE("left out: a job that its user does not want requeued") {
  FakeSlurm slurm{says("1|0|0|RUNNING|\n"),
                  {1, false, "", "Requested operation is presently disabled\n"}};
  CHECK(slurm.queue_again(7) ==
        "slurmd started the job here without its prolog and its own /tmp, and requeueing it "
        "failed: Requested operation is presently disabled");
}

TEST_CASE("left out: requeueing kills the scontrol that asked for it") {
  const ProcessResult killed{137, false, "", ""};
  const auto [after, outcome] =
      GENERATE(table<std::string, std::string>({{"1|3|0|RUNNING|\n", ": requeued it"},
                                                {"1|2|0|RUNNING|\n",
                                                 ", and requeueing it failed: "
                                                 "scontrol ended with status 137"},
                                                {"",
                                                 ", and requeueing it failed: "
                                                 "scontrol ended with status 137"}}));
  FakeSlurm slurm{says("1|2|0|RUNNING|\n"), killed, says(after)};
  CHECK(slurm.queue_again(7) ==
        "slurmd started the job here without its prolog and its own /tmp" + outcome);
}
