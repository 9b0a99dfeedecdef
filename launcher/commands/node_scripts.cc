// `slipway node scripts`: runs the scripts around a job or a task.
#include <fmt/core.h>

#include <cstdio>
#include <string>

#include "common/command_line.h"
#include "common/environment.h"
#include "common/error.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/root_program.h"
#include "launcher/node/job_scripts.h"

namespace slipway::commands {

int node_scripts(Args args) {
  std::string kind;
  CommandLine line("slipway node scripts", "Run the scripts around a job or a task on this node.");
  line.about(
      "Slurm's Prolog, Epilog, TaskProlog and TaskEpilog run it if the blueprint has scripts. KIND "
      "is prolog, epilog, task_prolog or task_epilog. Scripts of the blueprint run first, then "
      "those of the site (`enable_external_prolog_epilog`). Scripts that others than root can "
      "change are left out if they would run as root. Exits with the status of the script that "
      "failed.");
  line.positional("KIND", &kind);
  line.example("SLURM_JOB_PARTITION=a3 slipway node scripts prolog", "as root, as slurmd runs it");
  line.example("slipway node scripts task_prolog", "as a user: prints what the task gets");
  line.environment("SLURM_JOB_PARTITION", "the job's partition, which may have its own scripts");
  if (!line.parse(args)) return 0;
  if (!node::is_script_kind(kind)) {
    throw UsageError(fmt::format(
        "there are no scripts `{}`; known: prolog, epilog, task_prolog, task_epilog", kind));
  }
  if (!kind.starts_with("task_")) require_root();
  const auto say = [](const std::string& what) {
    fmt::print(stderr, "slipway node scripts: {}\n", what);
  };
  const auto scripts =
      node::scripts_around_jobs(kind, environment_variable("SLURM_JOB_PARTITION"), {}, say);
  return node::run_scripts(kind, scripts, say);
}

}  // namespace slipway::commands
