// slipway node restart: end a daemon of this node and have it started again.

#include "common/command_line.h"
#include "common/error.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/root_program.h"
#include "launcher/node/services.h"

namespace slipway::commands {

int node_restart(Args args) {
  std::string name;
  CommandLine line(
      "slipway node restart", "DAEMON",
      "On a node of a cluster on one machine: end a daemon and start it again, and wait "
      "until it serves.\nJobs go on. DAEMON is slurmctld, slurmd, slurmdbd, mariadbd or "
      "munged.");
  line.positional("DAEMON", &name);
  line.example("slipway exec quickstart controller -- slipway node restart slurmctld",
               "the controller of a local cluster");
  line.example("slipway node restart slurmd", "on a compute node, as root");
  if (!line.parse(args)) return 0;
  require_root();
  node::restart_daemon(name);
  return 0;
}

}  // namespace slipway::commands
