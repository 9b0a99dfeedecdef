// slipway exec: run a command on a node of a deployment.
#include "common/command_line.h"
#include "launcher/commands/commands.h"
#include "launcher/local/control.h"
#include "launcher/local/deployment_view.h"

namespace slipway::commands {

int exec(Args args) {
  std::string name, node;
  local::NodeCommand command;
  CommandLine line(
      "slipway exec", "NAME NODE [options] -- [CMD [ARG...]]",
      "Run a command on a node, with your terminal, streams, signals and its exit "
      "status; without a command, a shell.\n"
      "NODE is a node's name, its end (`login-001`), or a role: `login`, `controller`.");
  line.positional("NAME", &name);
  line.positional("NODE", &node);
  line.rest("CMD", &command.argv, Arity::optional);
  line.option("user,u", "USER", "as this user of the node (default root)", &command.user);
  line.option("chdir,C", "FOLDER", "in this folder (default: the first shared file system)",
              &command.folder);
  line.example("slipway exec quickstart login -- sinfo", "what Slurm thinks of the nodes");
  line.example("slipway exec quickstart login", "a shell on the login node");
  if (!line.parse(args)) return 0;

  const local::DeploymentFolder folder(local::deployments_folder(), name);
  return local::attach_to_node(folder, local::resolve_node(local::view(folder), node), command);
}

}  // namespace slipway::commands
