// What a cluster on this machine needs from it.
#pragma once

#include <vector>

#include "common/requirement.h"

namespace slipway::local {

// Everything that local clusters need, and whether this machine has it. What only some clusters or
// commands need is a warning at most. Tries the kernel's features in namespaces of their own, which
// leaves nothing behind.
std::vector<Requirement> requirements();

}  // namespace slipway::local
