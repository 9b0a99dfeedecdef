// Puts a cluster on hosts that exist already: `machines` of the blueprint.
#pragma once

#include "launcher/blueprint/machines.h"
#include "launcher/cluster/model.h"
#include "launcher/source/diagnostics.h"

namespace slipway::cluster {

// Gives the cluster's machines the names and addresses of the hosts. A nodeset without
// `node_count_static`, and a login group that has one machine, get as many machines as they have
// hosts. Reports modules that are not in the cluster, machines without a host, and numbers that
// differ.
void place_on_hosts(Cluster& cluster, const blueprint::Machines& machines,
                    source::Diagnostics& diagnostics);

}  // namespace slipway::cluster
