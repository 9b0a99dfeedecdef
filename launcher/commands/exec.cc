// `slipway exec`: runs a command on a node of a local deployment.
#include "common/command_line.h"
#include "launcher/commands/commands.h"
#include "launcher/local/control.h"
#include "launcher/local/deployment_view.h"

namespace slipway::commands {

int exec(Args args) {
  std::string name, node;
  local::NodeCommand command;
  CommandLine line("slipway exec",
                   "Run a command on a node of a local deployment, or open a shell.");
  line.about(
      "The command has your terminal, standard streams and signals. NODE is a node's name, the "
      "end of one (`login-001`), or a role: `login` or `controller`.");
  line.positional("DEPLOYMENT", &name);
  line.positional("NODE", &node);
  line.rest_after_dashes("COMMAND [ARG...]", &command.argv, Arity::optional);
  line.option("user,u", "USER", "run it as this user of the node", &command.user, "root");
  line.option("chdir,C", "FOLDER", "run it in this folder of the node", &command.folder,
              "the first shared file system");
  line.example("slipway exec quickstart login -- sinfo", "list the nodes as Slurm sees them");
  line.example("slipway exec quickstart login", "open a shell on the login node");
  line.exit_status("0", "the command succeeded, or the shell ended");
  line.exit_status("N", "the command's own exit status");
  line.see_also("slipway-status(1)");
  if (!line.parse(args)) return 0;

  const local::DeploymentFolder folder(local::deployments_folder(), name);
  return local::attach_to_node(folder, local::resolve_node(local::view(folder), node), command);
}

}  // namespace slipway::commands
