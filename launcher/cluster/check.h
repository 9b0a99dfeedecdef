// Whether the parts of a cluster fit together: what no module can see of the others.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/source/diagnostics.h"

namespace slipway::cluster {

// Address ranges that overlap or have too little room, places that nothing can be mounted at,
// overrides that slurm.conf cannot hold, no compute node: each a diagnostic at the setting. Where
// there are errors already, only what they cannot have caused is said.
void check(const Cluster& cluster, const blueprint::Deployment& deployment,
           const Catalogue& catalogue, source::Diagnostics& diagnostics);

}  // namespace slipway::cluster
