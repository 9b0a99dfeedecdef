// `slipway node restart`: restarts a daemon of a node of a local deployment.

#include "common/command_line.h"
#include "common/error.h"
#include "launcher/commands/commands.h"
#include "launcher/commands/root_program.h"
#include "launcher/node/services.h"

namespace slipway::commands {

int node_restart(Args args) {
  std::string name;
  CommandLine line("slipway node restart",
                   "Restart a daemon of a local node and wait until it serves.");
  line.about(
      "Jobs continue. DAEMON is slurmctld, slurmd, slurmdbd, mariadbd or munged. Needs root on "
      "the node.");
  line.positional("DAEMON", &name);
  line.example("slipway exec quickstart controller -- slipway node restart slurmctld",
               "restart the controller of a local deployment");
  line.example("slipway node restart slurmd", "on a compute node, as root");
  if (!line.parse(args)) return 0;
  require_root();
  node::restart_daemon(name);
  return 0;
}

}  // namespace slipway::commands
