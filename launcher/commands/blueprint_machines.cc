// What commands need of a blueprint's `machines`.
#include <fmt/core.h>

#include <filesystem>

#include "launcher/commands/blueprint_input.h"

namespace slipway::commands {

const blueprint::Machines& LoadedBlueprint::machines() const {
  if (has_machines()) return *compiled_->deployment.machines;
  throw Error("the blueprint has no `machines`, which names the hosts of a cluster");
}

// Its modules may lack what only a cloud needs.
void LoadedBlueprint::refuse_machines() {
  if (!has_machines()) return;
  diagnostics_
      .error(source::Code::no_resources, machines().span,
             "`machines` puts the cluster on hosts that exist, and Google Cloud makes its own")
      .help("write `machines` in a deployment file (-d), which is used for the hosts only");
}

void LoadedBlueprint::check_machines() {
  if (!has_machines() || machines().packages.empty()) return;
  std::error_code ignored;
  if (std::filesystem::is_directory(machines().packages, ignored)) return;
  diagnostics_
      .error(source::Code::no_such_file, machines().packages_span,
             fmt::format("there is no folder `{}`", machines().packages))
      .help("scripts/release.sh makes one");
}

}  // namespace slipway::commands
