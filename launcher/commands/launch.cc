// `slipway launch`: run a training job that survives its nodes.
#include "launcher/job/launch.h"

#include "common/command_line.h"
#include "common/error.h"
#include "launcher/commands/commands.h"
#include "launcher/job/agent.h"

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
}

void add_launch_options(CommandLine& line, job::LaunchOptions& options, std::string& progress,
                        std::string& ledger) {
  line.option("spares", "N", "nodes of the job that are held back (default 0)", &options.spares);
  line.option("min-nodes", "N", "go on with as few (default: as many as at first)",
              &options.min_nodes);
  line.option("max-restarts", "K",
              "in a row without progress, of failures that no node is blamed for (default 3)",
              &options.restarts);
  line.option("heartbeat", "SECONDS", "a node that is silent for so long is gone (default 5)",
              &options.heartbeat_seconds);
  line.option("stall", "SECONDS",
              "without a new step, also until the first one (default: for ever)",
              &options.stall_seconds);
  line.option("progress", "FILE",
              "in which the program keeps the number of its step, beside $SLIPWAY_PROGRESS",
              &progress);
  line.option("ledger", "FILE", "(default: slipway-ledger-JOB.jsonl in this folder)", &ledger);
  line.option("ntasks-per-node", "N", "tasks on each node (default: as srun would start)",
              &options.tasks_per_node);
  line.option("srun", "OPTION", "another option for the agents' srun; may be repeated",
              &options.srun);
  line.option("mpi", "KIND", "by what MPI's ranks meet: pmix or none (default pmix)", &options.mpi);
  line.flag("label", "write the rank before each line of output", &options.label);
  line.flag("no-kill", "the job has --no-kill from sbatch's command line", &options.no_kill);
  line.rest("COMMAND", &options.command);
  line.example("slipway launch --spares 1 -- ./train.sh", "instead of `srun ./train.sh`");
  line.example("slipway launch --stall 300 --min-nodes 6 -- python3 train.py",
               "hangs are failures, too; go on with six nodes");
}

}  // namespace

int launch(Args args) {
  if (args.size() == 1 && args[0] == "--agent") return job::run_agent();
  job::LaunchOptions options;
  std::string progress, ledger;
  CommandLine line(
      "slipway launch", "[options] -- COMMAND [ARG...]",
      "Run a program on the nodes of this allocation, one set of tasks a node, and\n"
      "start it again when a task, a node or its progress fails: without the node that\n"
      "is to blame, on a spare. In a script for sbatch, with --exclusive and --no-kill.\n"
      "Its exit status is the program's.");
  add_launch_options(line, options, progress, ledger);
  if (!line.parse(args)) return 0;
  if (options.command.empty()) throw UsageError("which command? slipway launch -- COMMAND");
  check_launch(options);
  options.progress = progress;
  options.ledger = ledger;
  return job::launch(options);
}

}  // namespace slipway::commands
