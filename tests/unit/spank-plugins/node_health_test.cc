// Tests of the built plugin node_health: how the program's results reach Slurm.
#include <fcntl.h>
#include <signal.h>
#include <slurm/slurm.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cstdlib>

#include "common/fd.h"
#include "common/file.h"
#include "tests/fakes/spank/fake_slurm.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace fake_slurm;
using Lines = std::vector<std::string>;

namespace {

// A node whose program is a script.
class Node {
 public:
  explicit Node(const std::string& script) {
    slipway::write_file(directory_ / "program", "#!/bin/sh\n" + script, 0755);
  }
  Plugin plugin(const std::vector<std::string>& more = {}) const {
    Plugin plugin{std::getenv("NODE_HEALTH_PLUGIN"),
                  {"program=" + (directory_ / "program").string()}};
    plugin.arguments.insert(plugin.arguments.end(), more.begin(), more.end());
    return plugin;
  }
  std::string path(const char* name) const { return (directory_ / name).string(); }

 private:
  TemporaryDirectory directory_;
};

JobScript prolog(const Plugin& plugin, const std::string& option = {}) {
  return run_job_script(plugin, "slurm_spank_job_prolog", 7, option);
}

}  // namespace

TEST_CASE("node_health: a fit node gets the job, silently") {
  const Node node("echo healthy\n");
  const JobScript script = prolog(node.plugin());
  CHECK_FALSE(script.failed);
  CHECK(script.log.empty());
}

TEST_CASE("node_health: the program gets the stage and the job") {
  TemporaryDirectory folder;
  const std::string file = (folder / "called").string();
  const Node node("echo \"$* job $SLURM_JOB_ID\" >>" + file + "\n");
  prolog(node.plugin());
  run_job_script(node.plugin(), "slurm_spank_job_epilog", 8);
  prolog(node.plugin(), "skip");
  prolog(node.plugin(), "on");
  CHECK(slipway::read_file(file) ==
        "health --stage prolog --act job 7\n"
        "health --stage epilog --act job 8\n"
        "health --stage prolog --act --skip-asked job 7\n"
        "health --stage prolog --act job 7\n");
}

TEST_CASE("node_health: an unfit node fails the prolog, with the verdict in the log") {
  const Node node("echo 'node n: drain: gpu_ecc GPU 5'; exit 3\n");
  const JobScript script = prolog(node.plugin());
  CHECK(script.failed);
  CHECK(script.log == Lines{"node_health: node n: drain: gpu_ecc GPU 5"});
}

TEST_CASE("node_health: under a Slurm of another release, it says so and checks nothing") {
  // Two rows, as one of them may be the release that this was built for.
  const bool is_first = (SLURM_VERSION_NUMBER & 0xffff00) == SLURM_VERSION_NUM(22, 5, 0);
  const Release other(is_first ? 42 : 38,
                      is_first ? SLURM_VERSION_NUM(24, 11, 3) : SLURM_VERSION_NUM(22, 5, 8));
  const Node node("echo 'node n: drain: gpu_ecc GPU 5'; exit 3\n");
  const JobScript script = prolog(node.plugin());
  CHECK_FALSE(script.failed);
  REQUIRE(script.log.size() == 1);
  CHECK_THAT(script.log[0], ContainsSubstring("node_health: built for Slurm "));
  CHECK_THAT(script.log[0],
             ContainsSubstring(is_first ? ", and this is 24.11, so it does nothing"
                                        : ", and this is 22.05, so it does nothing"));
}

TEST_CASE("node_health: Slurm refuses it under a release that it does not know") {
  const Release unknown(99, SLURM_VERSION_NUM(31, 5, 0));
  const Node node("exit 3\n");
  CHECK_THROWS_WITH(prolog(node.plugin()), "Incompatible Slurm plugin");
}

TEST_CASE("node_health: our own failure fails no prolog") {
  const std::string how = GENERATE("exit 1", "exit 2", "kill -9 $$", "exit 127", "exit 255");
  const Node node("echo oh >&2; " + how + "\n");
  const JobScript script = prolog(node.plugin());
  CHECK_FALSE(script.failed);
  REQUIRE(script.log.size() == 1);
  CHECK_THAT(script.log[0], ContainsSubstring("the prolog checks did not run"));
}

TEST_CASE("node_health: a missing program fails no prolog") {
  const Node node("");
  Plugin plugin = node.plugin();
  plugin.arguments = {"program=/nowhere/slipway"};
  const JobScript script = prolog(plugin);
  CHECK_FALSE(script.failed);
  REQUIRE(script.log.size() == 1);
  CHECK_THAT(script.log[0], ContainsSubstring("cannot start /nowhere/slipway"));
}

TEST_CASE("node_health: a program that hangs is killed, and fails no prolog") {
  const Node node("sleep 60\n");
  const JobScript script = prolog(node.plugin({"deadline=1"}));
  CHECK_FALSE(script.failed);
  CHECK(script.log == Lines{"node_health: the prolog checks took longer than 1 s and were killed"});
}

TEST_CASE("node_health: a program whose file does not respond is killed too") {
  const Node node("exit 3\n");
  // Until a lease is released, which never happens here, every other open() waits, even in exec.
  ::signal(SIGIO, SIG_IGN);
  const slipway::Fd held(::open(node.path("program").c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(::fcntl(held.get(), F_SETLEASE, F_WRLCK) == 0);
  const JobScript script = prolog(node.plugin({"deadline=1"}));
  CHECK_FALSE(script.failed);
  CHECK(script.log == Lines{"node_health: the prolog checks took longer than 1 s and were killed"});
}

TEST_CASE("node_health: an error in plugstack.conf is reported, and nothing is checked") {
  const Node node("exit 3\n");
  const JobScript script = prolog(node.plugin({"dead=1"}));
  CHECK_FALSE(script.failed);
  CHECK(script.log == Lines{"node_health: unknown argument `dead=1` in plugstack.conf: use "
                            "`program=` or `deadline=`; nodes are not checked"});
  const std::string value = GENERATE("0", "-1", "x", "1x", "51", "99999", "");
  CHECK_FALSE(prolog(node.plugin({"deadline=" + value})).failed);
  CHECK_FALSE(prolog(Plugin{std::getenv("NODE_HEALTH_PLUGIN"), {"program=slipway"}}).failed);
}

TEST_CASE(
    "node_health: sbatch and srun accept --health=on and --health=skip, and reject the rest") {
  const Node node("exit 3\n");
  const auto context = GENERATE(S_CTX_ALLOCATOR, S_CTX_LOCAL);
  CHECK(submit(context, node.plugin(), {"on"}).accepted);
  CHECK(submit(context, node.plugin(), {"skip"}).accepted);
  const Submission refused = submit(context, node.plugin(), {"off"});
  CHECK_FALSE(refused.accepted);
  CHECK(refused.log == Lines{"node_health: --health has no value `off`: use `on` or `skip`"});
}

TEST_CASE("node_health: a step on a node is left alone") {
  const Node node("exit 3\n");
  const Step step = run_step(node.plugin(), {{"A", "1"}}, {"skip"});
  CHECK_FALSE(step.failed);
  CHECK(step.log.empty());
  CHECK(step.tasks.at(0).environment == Environment{{"A", "1"}});
}

TEST_CASE("node_health: the first step of a job waits for the prolog") {
  const Node node("");
  const JobRecord in_prolog{JOB_RUNNING, WAIT_PROLOG}, ready{JOB_RUNNING, WAIT_NO_REASON};
  CHECK(launch(node.plugin(), 0, {ready}).questions == 1);
  CHECK(launch(node.plugin(), 0, {in_prolog, in_prolog, in_prolog, ready}).questions == 4);
  CHECK(launch(node.plugin(), 0, {{JOB_RUNNING | JOB_CONFIGURING, WAIT_PROLOG}, ready}).questions ==
        2);
}

TEST_CASE(
    "node_health: later steps do not wait, nor do ended jobs or a silent slurmctld delay one") {
  const Node node("");
  const JobRecord in_prolog{JOB_RUNNING, WAIT_PROLOG};
  CHECK(launch(node.plugin(), 1, {in_prolog}).questions == 0);
  CHECK(launch(node.plugin(), 0, {{JOB_CANCELLED, WAIT_PROLOG}}).questions == 1);
  const Launch silent = launch(node.plugin(), 0, {});
  CHECK(silent.questions == 1);
  CHECK_FALSE(silent.failed);
  CHECK(silent.log.empty());
}
