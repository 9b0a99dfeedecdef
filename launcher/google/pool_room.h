// Checks that storage pools have room for their volumes.
#pragma once

#include "launcher/blueprint/evaluation.h"
#include "launcher/source/diagnostics.h"

namespace slipway::google {

// Reports volumes that are together larger than their pool, if the blueprint makes all of them.
void check_pool_room(const blueprint::Deployment& deployment, blueprint::Evaluation& evaluation,
                     source::Diagnostics& diagnostics);

}  // namespace slipway::google
