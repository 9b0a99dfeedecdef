#include "launcher/job/frameworks.h"

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/error.h"
#include "common/file.h"
#include "common/process.h"
#include "common/text.h"
#include "launcher/source/diagnostics.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::job;

namespace {

const World two_nodes = {"123", {"b-1", "a-7"}, 4, 2, 0, 20001, 20002};
const World one_task_a_node = {"123", {"b-1", "a-7", "a-2"}, 1, 0, 0, 20001, 20002};

const std::vector<Framework>& shipped_frameworks() {
  static const std::vector<Framework> all = [] {
    source::Sources sources;
    source::Diagnostics diagnostics(sources);
    return load_frameworks(TEST_SOURCE_ROOT "/blueprints/catalogue", sources, diagnostics);
  }();
  return all;
}

TaskVariables variables_of(const std::vector<std::string>& command, const std::string& name = "",
                           const Variables& users = {}) {
  return {frameworks_of(shipped_frameworks(), command, name),
          [users](const std::string& variable) -> std::optional<std::string> {
            const auto found = users.find(variable);
            if (found == users.end()) return std::nullopt;
            return found->second;
          }};
}

// The environments of all tasks, as an agent makes them: of what Slurm gives the agent's step, only
// what a framework reads.
nlohmann::json environments(const TaskVariables& variables, const World& world) {
  nlohmann::json all = nlohmann::json::array();
  for (int64_t node = 0; node < static_cast<int64_t>(world.nodes.size()); ++node) {
    for (int64_t local = 0; local < world.tasks_per_node; ++local) {
      Variables task = variables.for_all(world);
      task.merge(variables.for_task(world, {node, local}));
      task["SLURM_JOB_ID"] = world.job;
      all.push_back(task);
    }
  }
  return all;
}

// What each task of a framework does: tests/fakes/frameworks/start.py.
std::vector<std::string> starts(const char* framework, const nlohmann::json& tasks) {
  ProcessOptions options;
  options.input = tasks.dump();
  return split(
      trim(run_checked({"python3", TEST_SOURCE_ROOT "/tests/fakes/frameworks/start.py", framework},
                       options)),
      '\n');
}

std::vector<std::string> all_ranks(const std::string& coordinator, int64_t size) {
  std::vector<std::string> lines;
  for (int64_t rank = 0; rank < size; ++rank)
    lines.push_back(fmt::format("{} {} of {}", coordinator, rank, size));
  return lines;
}

struct FrameworkStart {
  const char* framework;
  std::vector<std::string> command;
  const char* coordinator;
};

std::string errors_of(const std::string& yaml) {
  const TemporaryDirectory folder;
  write_file(folder.path() / "frameworks.yaml", yaml);
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  load_frameworks(folder.path(), sources, diagnostics);
  return render(diagnostics);
}

}  // namespace

TEST_CASE("frameworks: with a task for each GPU, all ranks meet at one coordinator") {
  const auto start = GENERATE(
      FrameworkStart{"torch", {"./train"}, "b-1:20001"},
      FrameworkStart{"jax", {"./train"}, "b-1:20002"},
      FrameworkStart{
          "maxtext_gpu_multiprocess", {"python3", "hardware=gpu_multiprocess"}, "b-1:20002"},
      FrameworkStart{"maxtext_cpu", {"python3", "hardware=cpu"}, "b-1:1234"},
      FrameworkStart{"deepspeed", {"./train"}, "b-1:20001"},
      FrameworkStart{"accelerate", {"./train"}, "b-1:20001"},
      FrameworkStart{"lightning", {"./train"}, "b-1:20001"});
  INFO(start.framework);
  CHECK(starts(start.framework, environments(variables_of(start.command), two_nodes)) ==
        all_ranks(start.coordinator, 8));
}

TEST_CASE("frameworks: with a task a node, all nodes meet at one coordinator") {
  const auto start =
      GENERATE(FrameworkStart{"maxtext_gpu", {"python3", "hardware=gpu"}, "b-1:20002"},
               FrameworkStart{"maxtext_cpu", {"python3", "hardware=cpu"}, "b-1:1234"},
               FrameworkStart{"torchrun_static", {"./train"}, "b-1:20001"},
               FrameworkStart{"torchrun_c10d", {"./train"}, "b-1:20001"},
               FrameworkStart{"nemo_run", {"./train"}, "b-1:20001"},
               FrameworkStart{"megatron_bridge", {"./train"}, "b-1:20001"});
  INFO(start.framework);
  CHECK(starts(start.framework, environments(variables_of(start.command), one_task_a_node)) ==
        all_ranks(start.coordinator, 3));
}

TEST_CASE("frameworks: the stand-ins refuse, or start alone, without any one variable they need") {
  for (const auto& [framework, names] : std::map<const char*, std::vector<const char*>>{
           {"torch", {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}},
           {"maxtext_gpu", {"JAX_COORDINATOR_IP", "JAX_COORDINATOR_PORT", "NNODES", "NODE_RANK"}},
           {"maxtext_cpu",
            {"JAX_COORDINATOR_ADDRESS", "JOB_INDEX", "JOB_COMPLETION_INDEX", "PROCESSES_IN_JOB",
             "JAX_PROCESS_COUNT"}},
           {"jax", {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"}},
           {"lightning", {"SLURM_NTASKS", "SLURM_NTASKS_PER_NODE", "SLURM_NODEID"}}}) {
    const bool cpu = std::string(framework) == "maxtext_cpu";
    nlohmann::json tasks = nlohmann::json::array();
    for (const char* name : names) {
      nlohmann::json env = environments(
          variables_of({"python3", cpu ? "hardware=cpu" : "hardware=gpu"}), one_task_a_node)[1];
      env.erase(name);
      tasks.push_back(env);
    }
    for (const std::string& line : starts(framework, tasks)) {
      INFO(framework << ": " << line);
      CHECK((line == "alone" || line.starts_with("refused: ")));
    }
  }
}

TEST_CASE("frameworks: MaxText on CPUs takes the place of JAX, by its argument or by name") {
  const auto address = [](const TaskVariables& variables) {
    return variables.for_all(two_nodes).at("JAX_COORDINATOR_ADDRESS");
  };
  CHECK(address(variables_of({"python3", "train.py"})) == "b-1:20002");
  CHECK(address(variables_of({"python3", "train.py", "hardware=cpu"})) == "b-1");
  CHECK(address(variables_of({"./train.sh"}, "maxtext-cpu")) == "b-1");
  CHECK_THROWS_WITH(variables_of({"./train.sh"}, "maxtext-gpus"),
                    ContainsSubstring("did you mean `maxtext-gpu`?"));
}

TEST_CASE("frameworks: a user's port stays, places do not, and notes name both") {
  const TaskVariables variables = variables_of({"./train"}, "",
                                               {{"MASTER_PORT", "29500"},
                                                {"MASTER_ADDR", "a-2"},
                                                {"RANK", "0"},
                                                {"WORLD_SIZE", "8"},
                                                {"SLURM_NTASKS", "9"}});
  Variables all = variables.for_all(two_nodes);
  CHECK_FALSE(all.contains("MASTER_PORT"));
  CHECK(all.at("MASTER_ADDR") == "b-1");
  CHECK(variables.notes(two_nodes) ==
        std::vector<std::string>{
            "MASTER_ADDR=a-2 of the job's environment is replaced: tasks get their own",
            "MASTER_PORT=29500 stays, in every attempt: it is in the job's environment",
            "RANK=0 of the job's environment is replaced: tasks get their own"});
  CHECK(variables.table(two_nodes).find("MASTER_PORT                 29500") != std::string::npos);
}

TEST_CASE("frameworks: no two that apply to one command set a variable to different values") {
  for (const std::string argument : {"", "hardware=cpu", "hardware=gpu"}) {
    std::map<std::string, std::string> values;
    for (const Framework& each : frameworks_of(shipped_frameworks(), {"x", argument}, "")) {
      for (const FrameworkVariable& variable : each.variables) {
        const auto known = values.emplace(variable.name, variable.value).first;
        INFO(each.name << " " << variable.name);
        CHECK(known->second == variable.value);
      }
    }
  }
}

TEST_CASE("frameworks: every variable that a framework wants is in the table or Slurm's own") {
  std::set<std::string> known = {"SLURM_JOB_ID"};
  for (const Framework& each : shipped_frameworks())
    for (const FrameworkVariable& variable : each.variables) known.insert(variable.name);
  for (const Framework& each : shipped_frameworks()) {
    INFO(each.name);
    CHECK((!each.variables.empty() || !each.source.empty()));
    for (const std::string& name : each.wants) CHECK(known.contains(name));
  }
}

TEST_CASE("frameworks: a table with a word that means nothing is refused") {
  const std::string errors = errors_of(
      "sources: {a: b}\n"
      "frameworks:\n"
      "- {name: x, what: y, variables: [{name: N, value: \"{hots}\", source: a}]}\n"
      "- {name: x, what: y, variables: [{name: N, value: \"{host}\", source: c}]}\n"
      "- {name: x, what: y, variables: [{name: N, value: \"1\", source: a, yours: maybe}]}\n");
  CHECK_THAT(errors, ContainsSubstring("`{hots}` has no meaning here") &&
                         ContainsSubstring("there is no source `c`") && ContainsSubstring("maybe"));
}
