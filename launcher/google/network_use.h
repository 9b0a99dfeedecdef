// Checks that machines and GKE clusters can use the networks that the blueprint gives them.
#pragma once

#include "launcher/blueprint/evaluation.h"
#include "launcher/source/diagnostics.h"

namespace slipway::google {

// Reports machines outside the zone of their RDMA network, and clusters whose network has no range
// of the name that their pods or services need.
void check_network_use(const blueprint::Deployment& deployment, blueprint::Evaluation& evaluation,
                       source::Diagnostics& diagnostics);

}  // namespace slipway::google
