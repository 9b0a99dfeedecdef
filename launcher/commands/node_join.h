// `slipway node join` and `slipway node leave`.
#pragma once

#include "launcher/commands/commands.h"

namespace slipway::commands {

int node_join(Args args);
int node_leave(Args args);

}  // namespace slipway::commands
