// `slipway node describe`, a part of `slipway node`.
#pragma once

#include "launcher/commands/commands.h"

namespace slipway::commands {

int node_describe(Args args);

}  // namespace slipway::commands
