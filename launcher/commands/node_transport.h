// `slipway node transport`, a part of `slipway node` that has parts itself.
#pragma once

#include "launcher/commands/commands.h"

namespace slipway::commands {

int node_transport(Args args);

}  // namespace slipway::commands
