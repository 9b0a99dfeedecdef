// Checks what a machine and a cluster ask of their networks: addresses, regions and interfaces.
#pragma once

#include "launcher/blueprint/evaluation.h"
#include "launcher/cluster/zones.h"
#include "launcher/source/diagnostics.h"

namespace slipway::google {

// Reports, as far as the blueprint shows it: static addresses outside the subnetwork, machines
// outside its region, two interfaces in one network, and a control plane's range that its network
// has already. Without `zones`, regions are not compared; nor if the blueprint skips the validator
// test_zone_in_region.
void check_network_addresses(const blueprint::Deployment& deployment,
                             blueprint::Evaluation& evaluation, const cluster::Zones* zones,
                             source::Diagnostics& diagnostics);

}  // namespace slipway::google
