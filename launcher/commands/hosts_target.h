// The target `hosts`: machines that exist already, which `machines` of a blueprint names.
#pragma once

#include <chrono>

#include "launcher/commands/blueprint_input.h"

namespace slipway::commands {

struct HostsOptions {
  std::chrono::seconds timeout{60};  // for further nodes to be ready
  bool auto_approve = false;
  bool quiet = false;
};

// Each shows the machines with a problem, and throws ReportedError if there are any.
void deploy_hosts(LoadedBlueprint& loaded, const HostsOptions& options);
void destroy_hosts(LoadedBlueprint& loaded, const HostsOptions& options);

}  // namespace slipway::commands
