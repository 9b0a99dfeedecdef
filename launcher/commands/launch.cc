// `slipway launch`: runs a training program that survives the loss of nodes.
#include <fmt/core.h>
#include <re2/re2.h>

#include <cstdio>
#include <string>
#include <vector>

#include "common/command_line.h"
#include "common/error.h"
#include "common/text.h"
#include "launcher/checkpoint/memory_limit.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/launch_container.h"
#include "launcher/job/agent.h"
#include "launcher/job/explain.h"
#include "launcher/job/job_teller.h"
#include "launcher/job/launch.h"

namespace slipway::commands {
namespace {

void require_launch(bool fine, const char* option, const char* expected) {
  if (!fine) throw UsageError(std::string("--") + option + " takes " + expected);
}

void check_launch(const job::LaunchOptions& options) {
  require_launch(options.spares >= 0, "spares", "a whole number");
  require_launch(options.restarts >= 0, "max-restarts", "a whole number");
  require_launch(options.min_nodes >= 0, "min-nodes", "a whole number");
  require_launch(options.tasks_per_node >= 0 && options.tasks_per_node <= 4096, "ntasks-per-node",
                 "a number from 1 to 4096");
  require_launch(options.heartbeat_seconds >= 0.5 && options.heartbeat_seconds <= 3600, "heartbeat",
                 "a number of seconds from 0.5 to 3600");
  require_launch(options.mpi == "pmix" || options.mpi == "none", "mpi", "pmix or none");
  require_launch(options.stall_seconds >= 0 && options.stall_seconds <= 1e6, "stall",
                 "a number of seconds");
  require_launch(options.hang_seconds >= 0 && options.hang_seconds <= 1e6, "hang",
                 "a number of seconds");
  const std::string& hang = options.on_hang;
  require_launch(hang == "tell" || hang == "restart" || hang == "blame", "on-hang",
                 "tell, restart or blame");
  require_launch(options.on_straggler == "tell" || options.on_straggler == "blame", "on-straggler",
                 "tell or blame");
  const re2::RE2 step(options.progress_regex, re2::RE2::Quiet);
  require_launch(step.ok(), "progress-regex", "a regular expression (RE2)");
  require_launch(options.progress_regex.empty() || step.NumberOfCapturingGroups() > 0,
                 "progress-regex",
                 "an expression with a group in parentheses, as in `step ([0-9]+)`");
}

std::vector<job::LogRule> log_rules_in(const std::string& file) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  std::vector<job::LogRule> rules = job::read_log_rules(file, sources, diagnostics);
  if (diagnostics.errors() == 0) return rules;
  std::fputs(render(diagnostics, source::color_for(2)).c_str(), stderr);
  throw ReportedError("the log rules are wrong");
}

// What the options about checkpoints in memory say.
struct MemoryOptions {
  std::string size;  // "auto" without a size; empty: the option is not given
  int64_t copies = 0;
  std::string persist;
  int64_t persist_every = 0;
};

constexpr const char* memory_option = "--fast-checkpoints";
constexpr const char* usual_size = "auto";
constexpr const char* grow_option = "--grow";
constexpr const char* usual_seconds = "600";

// Their values are optional, and belong to the options only with an equals sign.
std::vector<std::string> with_values(Args args) {
  std::vector<std::string> all(args.begin(), args.end());
  for (std::string& each : all) {
    if (each == "--") break;
    if (each == memory_option) each += std::string("=") + usual_size;
    if (each == grow_option) each += std::string("=") + usual_seconds;
  }
  return all;
}

void take_memory(const MemoryOptions& memory, job::LaunchOptions& options) {
  if (memory.size.empty()) {
    if (memory.copies != 0)
      throw UsageError(std::string("--copies has no effect without ") + memory_option);
    if (!memory.persist.empty() || memory.persist_every != 0)
      throw UsageError(std::string("--persist has no effect without ") + memory_option);
    return;
  }
  options.fast_checkpoints = true;
  require_launch(memory.copies >= 0 && memory.copies <= 16, "copies", "a number from 1 to 16");
  if (memory.copies > 0) options.copies = memory.copies;
  require_launch(memory.persist_every >= 0, "persist-every", "a number of steps from 1 on");
  if (memory.persist_every > 0 && memory.persist.empty())
    throw UsageError("--persist-every has no effect without --persist");
  options.persist = memory.persist;
  if (memory.persist_every > 0) options.persist_every = memory.persist_every;
  if (options.container.wanted)
    throw UsageError(std::string(memory_option) + " does not work in a container yet");
  if (memory.size == usual_size) return;
  const auto bytes = checkpoint::size_in_bytes(memory.size);
  require_launch(bytes.has_value(), "fast-checkpoints", "a size, such as 64G");
  options.checkpoint_bytes = *bytes;
}

void take_growth(const std::string& seconds, job::LaunchOptions& options) {
  if (seconds.empty()) return;
  options.grow = true;
  const auto number = to_number<double>(seconds);
  require_launch(number && *number >= 0 && *number <= 1e6, "grow", "a number of seconds");
  options.grow_seconds = *number;
  if (options.container.wanted)
    throw UsageError(std::string(grow_option) + " does not work in a container yet");
}

void add_launch_options(CommandLine& line, job::LaunchOptions& options, std::string& progress,
                        std::string& ledger, std::string& log_rules, MemoryOptions& memory,
                        std::string& grow, bool& explain) {
  line.option("spares", "N", "nodes of the job to hold back as replacements", &options.spares);
  line.option("min-nodes", "N", "continue as long as this many nodes are left", &options.min_nodes,
              "the number at the start");
  line.option("grow", "[=SECONDS]",
              "take in other nodes after some were lost, at the program's next checkpoint: helper "
              "jobs bring them; SECONDS between two restarts for that",
              &grow, "never; without SECONDS, 600");
  line.option("max-restarts", "N",
              "give up after this many failures in a row without progress for which no node is to "
              "blame",
              &options.restarts);
  line.option("heartbeat", "SECONDS", "declare a silent node dead after this long",
              &options.heartbeat_seconds);
  line.option("stall", "SECONDS", "treat this long without a new step as a failure",
              &options.stall_seconds, "wait forever");
  line.option("hang", "SECONDS", "report a job that shows no sign of life for this long; 0: never",
              &options.hang_seconds);
  line.option("on-hang", "tell|restart|blame",
              "what to do about a hang: report it, restart, or also replace the node that it names",
              &options.on_hang);
  line.option("on-straggler", "tell|blame", "what to do about a host that slows the job down",
              &options.on_straggler);
  line.flag("nccl-watch",
            "find stragglers by each rank's collectives, which a profiler plugin of NCCL records",
            &options.nccl_watch);
  line.option("log-rules", "FILE", "rules about the output, as on SageMaker HyperPod", &log_rules);
  line.option("progress-regex", "REGEX",
              "the program prints its step: the first group in parentheses",
              &options.progress_regex);
  line.option("progress", "FILE",
              "a file in which the program keeps the number of its step, besides "
              "$SLIPWAY_PROGRESS",
              &progress);
  line.option("ledger", "FILE", "where to record what happens", &ledger,
              "slipway-ledger-JOB.jsonl in this folder");
  line.option("fast-checkpoints", "[=SIZE]",
              "keep checkpoints in the memory of other nodes, at most SIZE on each, such as 64G",
              &memory.size, "none; without SIZE, a quarter of the memory");
  line.option("copies", "N", "copies of each fast checkpoint, on other nodes", &memory.copies, "2");
  line.option(
      "persist", "FOLDER",
      "also write complete fast checkpoints to this folder on disk, which nodes share; a new "
      "job starts from the newest one",
      &memory.persist);
  line.option("persist-every", "STEPS", "steps between two that are written to disk",
              &memory.persist_every, "1");
  line.option("tell", "PROGRAM|URL|ADDRESS",
              "tell of failures and missing spares; may be given several times", &options.tell);
  line.option("ntasks-per-node", "N", "tasks on each node", &options.tasks_per_node,
              "as srun would start");
  line.option("srun", "OPTION", "pass this option to the srun that starts the agents",
              &options.srun);
  line.option("mpi", "pmix|none", "how MPI's ranks find each other", &options.mpi);
  line.option("framework", "NAME",
              "set the variables of this framework, too; `--explain` lists them",
              &options.framework, "by the command's arguments");
  line.flag("label", "write the rank before each line of output", &options.label);
  line.flag("no-kill", "the job was submitted with --no-kill on sbatch's command line",
            &options.no_kill);
  line.flag("explain", "print the variables that the program would get, and why, and end",
            &explain);
  line.rest_after_dashes("COMMAND [ARG...]", &options.command);
  line.example("slipway launch --spares 1 -- ./train.sh", "instead of `srun ./train.sh`");
  line.example("slipway launch --spares 1 --container-image=/home/train.sqsh -- ./train.sh",
               "run it in a container");
  line.example("slipway launch --explain -- python3 train.py hardware=cpu",
               "print the variables by which the tasks would find each other");
  line.example("slipway launch --stall 300 --min-nodes 6 -- python3 train.py",
               "treat hangs as failures, and continue with as few as six nodes");
  line.example("slipway launch --min-nodes 6 --grow -- python3 train.py",
               "the same, and take in other nodes later");
  line.exit_status("0", "the program succeeded on all nodes");
  line.exit_status("N", "the program's own exit status, when it cannot succeed");
  line.environment("SLIPWAY_PROGRESS", "for the program: the file to which it writes its step");
  line.environment("SLIPWAY_WORLD_CHANGED",
                   "for the program: the number of ranks before, if it has changed");
  line.environment("SLIPWAY_CHECKPOINTS",
                   "for the program: the folder of its fast checkpoints, step-N for each");
  line.environment("SLIPWAY_CHECKPOINTS_LIBRARY",
                   "for the program: a C library that tells it which step is complete");
  line.environment("SLIPWAY_CHECKPOINTS_STATE", "for that library: the file that it reads");
  line.file("slipway-ledger-JOB.jsonl", "what happened; `slipway ledger JOB` reads it");
  line.see_also("slipway-ledger(1)");
  line.see_also("slipway-rehearse(1)");
}

// Outside a job, for one of two nodes with as many tasks as the options say.
int explain_variables(const job::LaunchOptions& options) {
  const job::World world = job::explained_world(options);
  const job::TaskVariables variables = job::task_variables(options);
  fmt::print("{}", variables.table(world));
  const std::vector<std::string> notes = variables.notes(world);
  if (!notes.empty()) fmt::print("\n");
  for (const std::string& note : notes) fmt::print("{}\n", note);
  return 0;
}

}  // namespace

int launch(Args args) {
  if (args.size() == 1 && args[0] == "--agent") return job::run_agent();
  job::LaunchOptions options;
  std::string progress, ledger, log_rules, grow;
  CommandLine line(
      "slipway launch",
      "Run a training program and restart it when a node, a task or its progress fails.");
  line.about(
      "Use it in an sbatch script in place of srun, with --exclusive and --no-kill. It starts one "
      "set of tasks on each node of the job. After a failure it finds the node to blame, puts a "
      "spare in its place, and starts the program again from its last checkpoint.");
  bool explain = false;
  ContainerOptions container;
  MemoryOptions memory;
  add_launch_options(line, options, progress, ledger, log_rules, memory, grow, explain);
  container.add_to(line);
  if (!line.parse(with_values(args))) return 0;
  options.container = container.take();
  take_memory(memory, options);
  take_growth(grow, options);
  if (explain) return explain_variables(options);
  if (options.command.empty()) throw UsageError("COMMAND is missing: slipway launch -- COMMAND");
  check_launch(options);
  job::told_by_launcher(options.tell);
  if (!log_rules.empty()) options.log_rules = log_rules_in(log_rules);
  options.progress = progress;
  options.ledger = ledger;
  return job::launch(options);
}

}  // namespace slipway::commands
