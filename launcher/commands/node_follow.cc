// `slipway node follow`: takes a changed configuration over on a compute or login node.
#include "launcher/commands/node_follow.h"

#include <chrono>

#include "common/command_line.h"
#include "common/error.h"
#include "launcher/commands/node_loop.h"
#include "launcher/commands/root_program.h"
#include "launcher/node/follow.h"

namespace slipway::commands {
namespace {

constexpr std::chrono::seconds one_check{300};

void check_once() {
  node::Cloud cloud;
  const node::Patience patience{std::chrono::steady_clock::now() + one_check, log_line};
  node::follow_configuration(cloud, patience, {}, log_line);
}

}  // namespace

int node_follow(Args args) {
  int every = 0;
  CommandLine line("slipway node follow",
                   "Take a changed configuration over on a compute or login node.");
  line.about(
      "The timer slipway-follow.timer runs it every two minutes, as root. Scripts around jobs, the "
      "node profile and new file systems are used at once, Slurm's files once slurmctld uses them; "
      "what running jobs depend on waits for their end. It says what it does, and once what it "
      "waits for. On a controller, `slipway node reconcile` does this.");
  line.option("every", "SECONDS", "run again and again, with this pause", &every);
  line.example("slipway node follow", "as root: now, instead of within two minutes");
  line.example("slipway node follow --every 120", "what a machine without systemd runs");
  line.exit_status("1", "it could not be taken over; the next run tries again");
  line.see_also("slipway-node-reconcile(1)");
  if (!line.parse(args)) return 0;
  if (every < 0) throw UsageError("--every takes a number of seconds");
  require_root();
  forget_the_caller();
  if (every > 0) run_every(std::chrono::seconds(every), check_once);
  check_once();
  return 0;
}

}  // namespace slipway::commands
