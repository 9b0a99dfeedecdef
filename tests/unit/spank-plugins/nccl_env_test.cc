// Tests of the built plugin, driven through Slurm's contexts by a fake host.
#include <slurm/slurm.h>
#include <stdlib.h>

#include <cstdlib>

#include "common/file.h"
#include "common/node_profile.h"
#include "spank-plugins/nccl_env/marker.h"
#include "tests/fakes/spank/fake_slurm.h"
#include "tests/unit/catch.h"
#include "tests/unit/spank-plugins/nccl_env_node.h"
#include "tests/unit/temporary_directory.h"

using namespace fake_slurm;
using slipway::NodeProfile;
using Lines = std::vector<std::string>;
using Node = NcclEnvNode;

namespace {

const std::string enp6s0_table =
    "nccl_env: node demo-0, machine type a3-megagpu-8g, transport socket\n"
    "  variable            value    origin              why\n"
    "  NCCL_SOCKET_IFNAME  =enp6s0  slipway: transport  the host interface\n";

const Environment enp6s0_environment = {
    {"NCCL_SOCKET_IFNAME", "=enp6s0"}, {"SLIPWAY_NCCL_ENV", R"({"NCCL_SOCKET_IFNAME":"=enp6s0"})"}};

}  // namespace

TEST_CASE("nccl_env plugin: every task of a step gets the variables, silently") {
  const Node node;
  const Step step = run_step(node.plugin(), {}, {}, 3);
  REQUIRE(step.tasks.size() == 3);
  for (const Task& task : step.tasks) {
    CHECK(task.environment == enp6s0_environment);
    CHECK(task.errors.empty());
  }
  CHECK(step.log.empty());
  CHECK_FALSE(step.failed);
}

TEST_CASE("nccl_env plugin: sbatch, batch script, srun and its tasks, on two kinds of nodes") {
  const Node first;
  const Node second("eth0");
  const Submission sbatch = submit(S_CTX_ALLOCATOR, first.plugin(), {"show"});
  REQUIRE(sbatch.accepted);
  const Step batch = run_step(first.plugin(), {{"HOME", "/home/ada"}}, sbatch.inherited);
  CHECK(batch.tasks[0].errors == enp6s0_table);

  const Submission srun = submit(S_CTX_LOCAL, first.plugin(), sbatch.inherited);
  REQUIRE(srun.accepted);
  const Environment exported = batch.tasks[0].environment;
  CHECK(run_step(first.plugin(), exported, srun.inherited).tasks[0].errors == enp6s0_table);
  CHECK(run_step(second.plugin(), exported, srun.inherited, 1, 1).tasks[0].environment ==
        Environment{{"HOME", "/home/ada"},
                    {"NCCL_SOCKET_IFNAME", "=eth0"},
                    {"SLIPWAY_NCCL_ENV", R"({"NCCL_SOCKET_IFNAME":"=eth0"})"}});
}

TEST_CASE("nccl_env plugin: under a Slurm of another release, it says so and changes nothing") {
  const bool is_first = (SLURM_VERSION_NUMBER & 0xffff00) == SLURM_VERSION_NUM(22, 5, 0);
  const Release other(is_first ? 42 : 38,
                      is_first ? SLURM_VERSION_NUM(24, 11, 3) : SLURM_VERSION_NUM(22, 5, 8));
  const Node node;
  const Step step = run_step(node.plugin(), {}, {}, 2);
  CHECK_FALSE(step.failed);
  REQUIRE(step.log.size() == 1);  // once for a process
  CHECK_THAT(step.log[0], ContainsSubstring("nccl_env: built for Slurm "));
  for (const Task& task : step.tasks) CHECK(task.environment.empty());
}

TEST_CASE("nccl_env plugin: show prints only from the step's first task") {
  const Node node;
  const Step on_first_node = run_step(node.plugin(), {}, {"show"}, 2);
  CHECK(on_first_node.tasks[0].errors == enp6s0_table);
  CHECK(on_first_node.tasks[1].errors.empty());
  const Step on_second_node = run_step(node.plugin(), {}, {"show"}, 2, 2);
  CHECK(on_second_node.tasks[0].errors.empty());
  CHECK(on_second_node.tasks[1].errors.empty());
}

TEST_CASE("nccl_env plugin: what the user exported wins") {
  const Node node;
  const Environment environment = {{"NCCL_SOCKET_IFNAME", "=lo"}};
  CHECK(run_step(node.plugin(), environment).tasks[0].environment == environment);
}

TEST_CASE("nccl_env plugin: off leaves the job alone and undoes what the batch script got") {
  const Node node;
  const Environment user = {{"NCCL_IB_DISABLE", "1"}};
  CHECK(run_step(node.plugin(), user, {"off"}).tasks[0].environment == user);
  const Environment batch = run_step(node.plugin(), user).tasks[0].environment;
  CHECK(run_step(node.plugin(), batch, {"off"}).tasks[0].environment == user);
}

TEST_CASE("nccl_env plugin: off removes the marker, even if the script removed a variable") {
  const Node node;
  Environment batch = run_step(node.plugin(), {}).tasks[0].environment;
  batch.erase("NCCL_SOCKET_IFNAME");
  CHECK(run_step(node.plugin(), batch, {"off"}).tasks[0].environment.empty());
}

TEST_CASE(
    "nccl_env plugin: sbatch --export=NONE passes its mode to the batch script and its steps") {
  const Node node;
  const Submission sbatch = submit(S_CTX_ALLOCATOR, node.plugin(), {"off"});
  const Step batch = run_step(node.plugin(), sbatch.kept);
  CHECK(batch.tasks[0].environment == sbatch.kept);
  CHECK(run_step(node.plugin(), batch.tasks[0].environment).tasks[0].environment == sbatch.kept);
  CHECK(run_step(node.plugin({"default=on"}), sbatch.kept, {"show"}).tasks[0].errors ==
        enp6s0_table);
}

TEST_CASE("nccl_env plugin: an unknown mode in the job's environment fails nothing") {
  const Node node;
  Environment kept = submit(S_CTX_ALLOCATOR, node.plugin(), {"off"}).kept;
  REQUIRE(kept.size() == 1);
  kept.begin()->second = "loud";
  const Step step = run_step(node.plugin(), kept);
  CHECK_FALSE(step.failed);
  CHECK(step.tasks[0].environment.contains("NCCL_SOCKET_IFNAME"));
  CHECK(step.log == Lines{"nccl_env: option ignored: --nccl-env has no value `loud`: use `on`, "
                          "`off`, `show` or `warn`"});
}

TEST_CASE("nccl_env plugin: plugstack.conf sets the default mode") {
  const Node node;
  CHECK(run_step(node.plugin({"default=off"}), {}).tasks[0].environment.empty());
  CHECK(run_step(node.plugin({"default=off"}), {}, {"on"}).tasks[0].environment ==
        enp6s0_environment);
}

TEST_CASE("nccl_env plugin: if Slurm passes an option twice, the last value wins") {
  const Node node;
  CHECK(submit(S_CTX_LOCAL, node.plugin(), {"off", "show"}).inherited == OptionValues{"show"});
  CHECK(run_step(node.plugin(), {}, {"show", "off"}).tasks[0].environment.empty());
}

TEST_CASE("nccl_env plugin: an unknown mode fails sbatch, salloc and srun, with a suggestion") {
  const Node node;
  const spank_context_t context = GENERATE(S_CTX_ALLOCATOR, S_CTX_LOCAL);
  const Submission submission = submit(context, node.plugin(), {"shwo"});
  CHECK_FALSE(submission.accepted);
  CHECK(submission.log == Lines{"nccl_env: --nccl-env has no value `shwo`: use `on`, `off`, "
                                "`show` or `warn`; did you mean `show`?"});
}

TEST_CASE("nccl_env plugin: an unknown mode that reaches a node fails nothing") {
  const Node node;
  const Step step = run_step(node.plugin(), {}, {"loud"});
  CHECK_FALSE(step.failed);
  CHECK(step.tasks[0].environment == enp6s0_environment);
  CHECK(step.log == Lines{"nccl_env: option ignored: --nccl-env has no value `loud`: use `on`, "
                          "`off`, `show` or `warn`"});
}

TEST_CASE("nccl_env plugin: without a profile, the task runs unchanged, after one message") {
  const Node node;
  const std::string missing = node.profile_path() + ".gone";
  const Plugin plugin = {node.plugin().path, {"profile=" + missing}};
  const Step step = run_step(plugin, enp6s0_environment, {"show"}, 2);
  CHECK_FALSE(step.failed);
  CHECK(step.tasks[1].environment == enp6s0_environment);
  CHECK(step.tasks[0].errors.empty());
  CHECK(step.log == Lines{"nccl_env: NCCL variables are not set: cannot read " + missing +
                          ": No such file or directory"});
}

TEST_CASE("nccl_env plugin: a broken profile fails nothing") {
  Node node;
  node.write_profile("{\"schema\":\"slipway/node/9\"}");
  const Step step = run_step(node.plugin(), {});
  CHECK_FALSE(step.failed);
  CHECK(step.tasks[0].environment.empty());
  CHECK(step.log ==
        Lines{"nccl_env: NCCL variables are not set: " + node.profile_path() +
              " is not a node profile: schema is `slipway/node/9`, expected `slipway/node/1`"});
}

TEST_CASE("nccl_env plugin: off needs no profile") {
  const Plugin plugin = {Node().plugin().path, {"profile=/nowhere/node.json"}};
  CHECK(run_step(plugin, {}, {"off"}).log.empty());
}

TEST_CASE("nccl_env plugin: an unknown argument is reported in every context and fails none") {
  const Node node;
  const Plugin plugin = node.plugin({"verbose"});
  const Lines line = {
      "nccl_env: unknown argument `verbose` in plugstack.conf: use `default=`, "
      "`profile=`, `env_plugin=` or `NCCL_NAME=`; leaving jobs alone"};
  const Submission submission = submit(S_CTX_ALLOCATOR, plugin, {"show"});
  CHECK(submission.accepted);
  CHECK(submission.log == line);
  CHECK(start_slurmd(plugin) == line);
  const Step step = run_step(plugin, {}, {"show"});
  CHECK_FALSE(step.failed);
  CHECK(step.log == line);
  CHECK(step.tasks[0].environment.empty());
}

TEST_CASE("nccl_env plugin: slurmd loads it silently") {
  CHECK(start_slurmd(Node().plugin()).empty());
}

TEST_CASE("nccl_env plugin: srun passes on only the user's variables, not the batch script's") {
  const Node node;
  const spank_context_t context = GENERATE(S_CTX_ALLOCATOR, S_CTX_LOCAL);
  ::setenv("NCCL_SOCKET_IFNAME", "=enp6s0", 1);
  ::setenv("NCCL_DEBUG", "INFO", 1);
  ::setenv("SLIPWAY_NCCL_ENV", R"({"NCCL_IB_DISABLE":"1","NCCL_SOCKET_IFNAME":"=enp6s0"})", 1);
  REQUIRE(submit(context, node.plugin()).accepted);
  CHECK(std::getenv("NCCL_SOCKET_IFNAME") == nullptr);
  CHECK(std::getenv("NCCL_DEBUG") == std::string("INFO"));
  // Removed by the user in the script; the node must still know this.
  CHECK(std::getenv("SLIPWAY_NCCL_ENV") == std::string(R"({"NCCL_IB_DISABLE":"1"})"));
  ::unsetenv("NCCL_DEBUG");
  ::unsetenv("SLIPWAY_NCCL_ENV");
}

TEST_CASE("nccl_env plugin: a step without GPUs, and a job on one node, get nothing") {
  const Node node;
  const Environment user = {{"HOME", "/home/ada"}};
  CHECK(run_step(node.plugin(), user, {}, 1, 0, {2, 0, false}).tasks[0].environment == user);
  CHECK(run_step(node.plugin(), user, {}, 1, 0, {1}).tasks[0].environment == user);
  CHECK(run_step(node.plugin(), user, {"show"}, 1, 0, {2, 0, false}).tasks[0].errors ==
        "nccl_env: node demo-0, machine type a3-megagpu-8g, transport socket\n"
        "  nothing is set: the step has no GPUs (--gpus-per-node, --gres)\n");
}

TEST_CASE("nccl_env plugin: a step on one node of a larger job gets the job's variables") {
  const Node node;
  const std::string variable = GENERATE("SLURM_JOB_NUM_NODES", "SLURM_HET_SIZE");
  CHECK(run_step(node.plugin(), {{variable, "2"}}, {}, 1, 0, {1})
            .tasks[0]
            .environment.contains("NCCL_SOCKET_IFNAME"));
}

TEST_CASE("nccl_env plugin: a batch script's values do not stay in a step without GPUs") {
  const Node node;
  CHECK(run_step(node.plugin(), enp6s0_environment, {}, 1, 0, {2, 0, false})
            .tasks[0]
            .environment.empty());
}

TEST_CASE("nccl_env plugin: warn sets nothing, and reports differences") {
  const Node node;
  const Environment user = {{"NCCL_SOCKET_IFNAME", "=lo"}};
  const Step step = run_step(node.plugin(), user, {"warn"}, 2);
  CHECK(step.tasks[0].environment == user);
  CHECK(step.tasks[0].errors ==
        "nccl_env: node demo-0, machine type a3-megagpu-8g, transport socket\n"
        "  variable            value  advised  why\n"
        "  NCCL_SOCKET_IFNAME  =lo    =enp6s0  the host interface\n");
  CHECK(step.tasks[1].errors.empty());
}

TEST_CASE("nccl_env plugin: a container image does not replace our values or the user's") {
  const Node node;
  const Place container = {
      2, 0, true, {{"NCCL_SOCKET_IFNAME", "eth0"}, {"NCCL_DEBUG", "TRACE"}, {"NCCL_ALGO", "Ring"}}};
  const Environment seen =
      run_step(node.plugin(), {{"NCCL_DEBUG", "INFO"}}, {}, 1, 0, container).tasks[0].environment;
  CHECK(seen.at("NCCL_SOCKET_IFNAME") == "=enp6s0");
  CHECK(seen.at("NCCL_DEBUG") == "INFO");
  CHECK(seen.at("NCCL_ALGO") == "Ring");  // nobody else has an opinion
}

TEST_CASE("nccl_env plugin: a fatal problem ends every task, and one of them reports why") {
  const Node node({"socket",
                   {},
                   {},
                   {},
                   {},
                   {},
                   {},
                   {},
                   {},
                   {{"", "", "", "", "NCCL_ALGO", "Tree", false, "Tree has no all_gather"}}});
  const Environment user = {{"NCCL_ALGO", "Tree"}};
  const Step first = run_step(node.plugin(), user, {}, 2);
  CHECK_FALSE(first.failed);  // to Slurm: the node stays in service
  CHECK_FALSE(first.tasks[0].started);
  CHECK_FALSE(first.tasks[1].started);
  CHECK(first.tasks[0].errors ==
        "nccl_env: this job cannot work: demo-0: Tree has no all_gather\n");
  CHECK(first.tasks[1].errors.empty());
  const Step second = run_step(node.plugin(), user, {}, 2, 2, {2, 1});
  CHECK_FALSE(second.tasks[0].started);
  CHECK(second.tasks[0].errors.empty());
  CHECK(run_step(node.plugin(), user, {"warn"}).tasks[0].started);
  CHECK(run_step(node.plugin(), user, {"off"}).tasks[0].started);
  CHECK(run_step(node.plugin(), {{"NCCL_ALGO", "Ring"}}).tasks[0].started);
}

TEST_CASE("nccl_env plugin: an unreadable vendor profile is one warning for the job") {
  slipway::NodeTransport transport{"tcpxo", {{"NCCL_A", "1", "a"}}};
  transport.vendor_profile = {"/nowhere/profile.sh", {}};
  transport.without_profile = {{"NCCL_B", "2", "b"}};
  const Node node(transport);
  const Step step = run_step(node.plugin(), {}, {}, 2);
  CHECK(step.tasks[0].environment.at("NCCL_A") == "1");
  CHECK(step.tasks[0].environment.at("NCCL_B") == "2");
  CHECK(step.tasks[0].errors ==
        "nccl_env: warning: demo-0: skipping the vendor profile: cannot read "
        "/nowhere/profile.sh: No such file or directory; using the catalog's values instead\n");
  CHECK(step.tasks[1].errors.empty());
  CHECK(run_step(node.plugin(), {}, {}, 1, 2, {2, 1}).tasks[0].errors.empty());
}

TEST_CASE("nccl_env plugin: an unknown transport sets nothing and fails nothing") {
  const Step step = run_step(Node(slipway::NodeTransport{"pigeons", {}}).plugin(), {});
  CHECK_FALSE(step.failed);
  CHECK(step.tasks[0].started);
  CHECK(step.tasks[0].environment.empty());
}

TEST_CASE("nccl_env plugin: the user's own values are passed along for NCCL's environment plugin") {
  const Node node;
  const Environment seen = run_step(node.plugin({"env_plugin=/opt/e.so"}), {{"NCCL_DEBUG", "INFO"}})
                               .tasks[0]
                               .environment;
  CHECK(seen.at("NCCL_ENV_PLUGIN") == "/opt/e.so");
  CHECK(seen.at("SLIPWAY_NCCL_USER_NCCL_DEBUG") == "INFO");
}

TEST_CASE("nccl_env plugin: the user's own values are passed along byte for byte, however long") {
  const Node node;
  const auto seen = [&](const std::string& value) {
    const Step step = run_step(node.plugin({"env_plugin=/opt/e.so"}), {{"NCCL_DEBUG_FILE", value}});
    CHECK_FALSE(step.failed);
    CHECK(step.tasks[0].started);
    const Environment& environment = step.tasks[0].environment;
    CHECK(environment.at("NCCL_DEBUG_FILE") == value);
    CHECK(environment.contains("SLIPWAY_NCCL_ENV"));
    const auto copy = environment.find("SLIPWAY_NCCL_USER_NCCL_DEBUG_FILE");
    return copy == environment.end() ? "(none)" : copy->second;
  };
  const std::vector<std::string> values = {"\xff\xfe\x80", "\xc3", "a\nb\t\"\\",
                                           std::string(90'000, '"'), std::string(100'000, '\x01')};
  for (const std::string& value : values) CHECK(seen(value) == value);
  // The longest string with which a program can be started: execve(2).
  const size_t room = (128 << 10) - std::string("SLIPWAY_NCCL_USER_NCCL_DEBUG_FILE=").size() - 1;
  CHECK(seen(std::string(room, 'x')).size() == room);
  CHECK(seen(std::string(room + 1, 'x')) == "(none)");
}

TEST_CASE("nccl_env plugin: values of ours that are not UTF-8 are set, and recognized again") {
  using namespace slipway::nccl_env;
  const std::map<std::string, std::string> ours = {{"NCCL_A", "\xff\xc3\xa9\n"},
                                                   {"NCCL_B", "plain"}};
  const std::string marker = write_marker(ours);
  CHECK(marker == R"({"NCCL_A":"\u00ff\u00c3\u00a9\n","NCCL_B":"plain"})");
  CHECK(read_marker({{marker_name, marker}}) == ours);
  CHECK(read_marker({{marker_name, R"({"NCCL_A":"\u1234","NCCL_B":"\ud83d\ude00"})"}}).empty());
}
