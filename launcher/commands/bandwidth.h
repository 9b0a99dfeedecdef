// `slipway bandwidth`.
#pragma once

#include "launcher/commands/commands.h"

namespace slipway::commands {

int bandwidth(Args args);

}  // namespace slipway::commands
