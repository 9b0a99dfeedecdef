// `slipway node follow`: takes a changed configuration over on a compute or login node.
#pragma once

#include "launcher/commands/commands.h"

namespace slipway::commands {

int node_follow(Args args);

}  // namespace slipway::commands
