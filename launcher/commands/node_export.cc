// `slipway node export`: loads finished jobs into BigQuery.
#include "launcher/commands/node_export.h"

#include <pwd.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "common/command_line.h"
#include "common/error.h"
#include "launcher/commands/node_loop.h"
#include "launcher/commands/root_program.h"
#include "launcher/node/job_export_run.h"

namespace slipway::commands {
namespace {

constexpr std::chrono::seconds one_export{300};

// Its memory is among Slurm's own files, in a folder that root should not write to.
void require_slurm_user() {
  const passwd* const user = ::getpwuid(::geteuid());
  if (user == nullptr || std::strcmp(user->pw_name, "slurm") != 0) {
    throw Error("run this as the user slurm: sudo -u slurm slipway node export");
  }
}

size_t export_once(std::chrono::seconds settle) {
  node::Cloud cloud;
  const node::Patience patience{std::chrono::steady_clock::now() + one_export, log_line};
  return node::export_jobs_here(cloud, patience, settle, log_line);
}

}  // namespace

int node_export(Args args) {
  int every = 0, settle = 60;
  CommandLine line("slipway node export", "Load finished jobs into the cluster's BigQuery table.");
  line.about(
      "The timer slipway-export.timer runs it on the controller every ten minutes, as the user "
      "slurm. It sends each job that has ended since the last time once, and says how many. It "
      "does nothing if the blueprint does not set `enable_bigquery_load`.");
  line.option("settle", "SECONDS",
              "leave jobs that ended less than this ago to the next run: their records may be "
              "incomplete",
              &settle);
  line.option("every", "SECONDS", "run again and again, with this pause", &every);
  line.example("sudo -u slurm slipway node export", "now, instead of within ten minutes");
  line.example("slipway node export --every 600", "what a machine without systemd runs");
  line.exit_status("1", "some jobs are not in the table; the next run tries again");
  line.file("/var/spool/slurmctld/slipway-export", "which jobs are in the table");
  line.see_also("slipway-node-reconcile(1)");
  if (!line.parse(args)) return 0;
  if (every < 0 || settle < 0) {
    throw UsageError("--every and --settle take a number of seconds");
  }
  require_slurm_user();
  forget_the_caller();
  const std::chrono::seconds time(settle);
  if (every > 0) run_every(std::chrono::seconds(every), [time] { export_once(time); });
  return export_once(time) == 0 ? 0 : 1;
}

}  // namespace slipway::commands
