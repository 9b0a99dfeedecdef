// Whether the cloud has the regions and zones that a deployment names, and the machines in them.
#pragma once

#include "launcher/blueprint/evaluation.h"
#include "launcher/cluster/zones.h"

namespace slipway::google {

// The settings `region`, `zone`, `zones` and `machine_type` of every module, as far as they are
// known. The Toolkit's validators test_region_exists, test_zone_exists, test_zone_in_region and
// test_machine_type_in_zone do this by asking the cloud; whoever skips one of them skips its part
// here.
void check_places(const blueprint::Deployment& deployment, blueprint::Evaluation& evaluation,
                  const cluster::Zones& zones, source::Diagnostics& diagnostics);

}  // namespace slipway::google
