// slipway destroy: take a deployment down and remove all of it.
#include <fmt/format.h>

#include "common/command_line.h"
#include "launcher/commands/commands.h"
#include "launcher/local/launch.h"

namespace slipway::commands {

int destroy(Args args) {
  std::string name;
  CommandLine line(
      "slipway destroy", "NAME",
      "Take a deployment down and remove all of it, its shared file systems included.");
  line.positional("NAME", &name);
  line.example("slipway destroy quickstart", "end it, whatever runs on it");
  line.example("slipway status", "which deployments there are");
  if (!line.parse(args)) return 0;

  const local::DeploymentFolder folder(local::deployments_folder(), name);
  local::remove(folder);
  fmt::print(stderr, "deployment `{}` is gone\n", name);
  return 0;
}

}  // namespace slipway::commands
