// `slipway exec`: runs a command on a node of a local deployment, or on all of them.
#include <fmt/core.h>

#include "common/command_line.h"
#include "common/error.h"
#include "launcher/commands/commands.h"
#include "launcher/local/control.h"
#include "launcher/local/deployment_view.h"

namespace slipway::commands {
namespace {

// Runs the command on one node after another, also when it fails on one. Returns the first status
// that is not 0.
int run_on_all(const local::DeploymentFolder& folder, local::NodeCommand command) {
  if (command.argv.empty()) throw UsageError("`all` needs a command");
  // For programs that say what else to do on the other nodes (local_node.cc).
  command.argv.insert(command.argv.begin(), {"env", "SLIPWAY_EXEC=all"});
  int status = 0;
  for (const local::NodeView& node : local::view(folder).nodes) {
    int code = 1;
    if (node.running) {
      code = local::attach_to_node(folder, node.name, command);
    } else {
      fmt::print(stderr, "slipway exec: node {} is off\n", node.name);
    }
    if (status == 0) status = code;
    if (code > 128) break;  // by a signal: the user has interrupted it
  }
  return status;
}

}  // namespace

int exec(Args args) {
  std::string name, node;
  local::NodeCommand command;
  CommandLine line("slipway exec",
                   "Run a command on a node of a local deployment, or open a shell.");
  line.about(
      "The command has your terminal, standard streams and signals. NODE is a node's name, the "
      "end of one (`login-001`), a role (`login` or `controller`), or `all`: then the command runs "
      "on one node after another, also if it fails on one.");
  line.positional("DEPLOYMENT", &name);
  line.positional("NODE", &node);
  line.rest_after_dashes("COMMAND [ARG...]", &command.argv, Arity::optional);
  line.option("user,u", "USER", "run it as this user of the node", &command.user, "root");
  line.option("chdir,C", "FOLDER", "run it in this folder of the node", &command.folder,
              "the first shared file system");
  line.example("slipway exec quickstart login -- sinfo", "list the nodes as Slurm sees them");
  line.example("slipway exec quickstart login", "open a shell on the login node");
  line.example("slipway exec quickstart all -- useradd --uid 5000 alice",
               "add a user whom Slurm knows on every node");
  line.exit_status("0", "the command succeeded, or the shell ended");
  line.exit_status("N", "the command's own exit status; of `all`, the first that is not 0");
  line.see_also("slipway-status(1)");
  if (!line.parse(args)) return 0;

  const local::DeploymentFolder folder(local::deployments_folder(), name);
  if (node == "all") return run_on_all(folder, command);
  return local::attach_to_node(folder, local::resolve_node(local::view(folder), node), command);
}

}  // namespace slipway::commands
