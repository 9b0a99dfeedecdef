// The parts of `slipway modules`, one file each.
#pragma once

#include "launcher/commands/commands.h"

namespace slipway::commands {

int modules_import(Args args);

}  // namespace slipway::commands
