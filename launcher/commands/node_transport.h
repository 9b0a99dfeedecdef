// slipway node transport: a part of `slipway node` with parts of its own.
#pragma once

#include "launcher/commands/commands.h"

namespace slipway::commands {

int node_transport(Args args);

}  // namespace slipway::commands
