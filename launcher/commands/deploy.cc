// slipway deploy: bring up the cluster of a blueprint.
#include <fmt/format.h>

#include "common/command_line.h"
#include "common/error.h"
#include "common/installation.h"
#include "common/text.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/commands/blueprint_input.h"
#include "launcher/commands/commands.h"
#include "launcher/local/launch.h"

namespace slipway::commands {
namespace {

void require_local(const std::string& target) {
  if (target == "local") return;
  throw UsageError(fmt::format("unknown target `{}`; known: local", target));
}

}  // namespace

int deploy(Args args) {
  BlueprintInput input;
  std::string target = "local";
  bool quiet = false;
  int timeout_seconds = 60;
  CommandLine line("slipway deploy", "BLUEPRINT [--target local] [options]",
                   "Bring up the cluster of a blueprint and wait until its nodes are idle.");
  input.add_options(line);
  line.option("target", "PLACE", "where: local, this machine (default)", &target);
  line.option("timeout", "SECONDS", "give up after this long (default 60)", &timeout_seconds);
  line.flag("quiet,q", "say only what went wrong", &quiet);
  line.example("slipway deploy examples/quickstart.yaml",
               "a Slurm cluster in namespaces on this machine");
  line.example("slipway deploy cluster.yaml --vars deployment_name=two",
               "a second one beside it, under another name");
  if (!line.parse(args)) return 0;
  require_local(target);
  if (timeout_seconds < 1) throw UsageError("--timeout is at least 1 second");

  const CheckedCluster checked = load_cluster(input);
  local::require_programs();
  const local::Plan plan = local::make_plan(checked.cluster, checked.catalogue);
  const local::DeploymentFolder folder(local::deployments_folder(), plan.deployment);
  local::LaunchOptions options;
  options.deadline = std::chrono::seconds(timeout_seconds);
  if (!quiet) options.progress = [](const std::string& text) { fmt::print(stderr, "{}\n", text); };
  const local::Launched launched = local::launch(plan, folder, options);
  if (launched.was_there) {
    fmt::print(stderr,
               "deployment `{0}` stands already; nothing was changed (`slipway status {0}`)\n",
               folder.name());
  } else if (!quiet) {
    fmt::print(stderr, "deployment `{}`: {} nodes idle after {:.1f} s\n", folder.name(),
               launched.nodes, launched.seconds);
  }
  return 0;
}

}  // namespace slipway::commands
