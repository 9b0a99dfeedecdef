// `slipway node reconcile`: brings Slurm and the cloud in agreement.
#include "launcher/commands/node_reconcile.h"

#include <fmt/core.h>

#include <chrono>

#include "common/command_line.h"
#include "common/error.h"
#include "launcher/commands/node_loop.h"
#include "launcher/commands/root_program.h"
#include "launcher/node/boot.h"
#include "launcher/node/reconcile_run.h"

namespace slipway::commands {
namespace {

constexpr std::chrono::seconds one_run{300};

int run_once(const node::ReconcileOptions& options) {
  node::Cloud cloud;
  const node::Patience patience{std::chrono::steady_clock::now() + one_run, log_line};
  return node::reconcile(cloud, patience, options, log_line);
}

}  // namespace

int node_reconcile(Args args) {
  node::ReconcileOptions options;
  int grace = -1, every = 0;
  CommandLine line("slipway node reconcile",
                   "Bring Slurm's nodes and the machines in the cloud in agreement.");
  line.about(
      "The timer slipway-reconcile.timer runs it on the controller once a minute, as root. It "
      "makes machines for static nodes, deletes machines that no node wants, restarts nodes whose "
      "machine was preempted, stopped or deleted, replaces machines whose template has changed, "
      "deals with announced maintenance, and has slurmctld use a changed configuration. It says "
      "what it does; on a quiet cluster it says nothing.");
  line.flag("dry-run", "say the next steps and take none", &options.only_show);
  line.option("grace", "SECONDS", "wait at most this long before a step, instead of minutes",
              &grace);
  line.option("every", "SECONDS", "run again and again, with this pause", &every);
  line.example("slipway node reconcile --dry-run", "as root, on the controller: what would happen");
  line.example("slipway node reconcile --grace 0", "do now what would happen within minutes");
  line.exit_status("1", "a step failed; a later run tries it again");
  line.file("/var/lib/slipway/reconcile/memory.json", "since when something has been wrong");
  line.see_also("slipway-node-watch(1)");
  if (!line.parse(args)) return 0;
  if (grace < -1 || every < 0) throw UsageError("--grace and --every take a number of seconds");
  require_root();
  forget_the_caller();
  if (grace >= 0) options.longest_grace = grace;
  if (every > 0) run_every(std::chrono::seconds(every), [&] { run_once(options); });
  return run_once(options) == 0 ? 0 : 1;
}

}  // namespace slipway::commands
