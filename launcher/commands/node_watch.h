// `slipway node watch`, a part of `slipway node`.
#pragma once

#include "launcher/commands/commands.h"

namespace slipway::commands {

int node_watch(Args args);

}  // namespace slipway::commands
