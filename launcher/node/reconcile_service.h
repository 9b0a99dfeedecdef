// Starts the reconciler with a controller.
#pragma once

#include "launcher/node/machine.h"

namespace slipway::node {

// Starts the timer, or a loop where there is no systemd. Does nothing in an older image, which has
// no reconciler.
void start_reconciler(const Say& say);

}  // namespace slipway::node
