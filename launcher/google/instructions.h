// What the person who applies the definitions by hand has to do.
#pragma once

#include <string>

#include "launcher/google/definitions.h"

namespace slipway::google {

// The text of instructions.txt: commands for every group, in their order.
std::string instructions(const Definitions& definitions);

}  // namespace slipway::google
