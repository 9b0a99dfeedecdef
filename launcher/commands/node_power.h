// `slipway node resume` and `slipway node suspend`.
#pragma once

#include "launcher/commands/commands.h"

namespace slipway::commands {

int node_resume(Args args);
int node_suspend(Args args);

}  // namespace slipway::commands
