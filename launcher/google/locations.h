// Checks that the regions and zones of a deployment exist and offer its machine types.
#pragma once

#include "launcher/blueprint/evaluation.h"
#include "launcher/cluster/zones.h"

namespace slipway::google {

// Checks the settings `region`, `zone`, `zones` and `machine_type` of every module, as far as they
// are known. Cluster Toolkit's validators test_region_exists, test_zone_exists, test_zone_in_region
// and test_machine_type_in_zone do this by querying the cloud; skipping one of them skips its check
// here.
void check_locations(const blueprint::Deployment& deployment, blueprint::Evaluation& evaluation,
                     const cluster::Zones& zones, source::Diagnostics& diagnostics);

}  // namespace slipway::google
