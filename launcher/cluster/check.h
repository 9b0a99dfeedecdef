// Checks that the parts of a cluster fit together, which no module can see by itself.
#pragma once

#include <map>
#include <string>

#include "launcher/blueprint/deployment.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/source/diagnostics.h"

namespace slipway::cluster {

// The module that makes a network and the input that sets its address range, by network id.
struct NetworkOrigin {
  std::string module, input;
};
using NetworkOrigins = std::map<std::string, NetworkOrigin>;

// Reports address ranges that overlap or are too small, invalid mount points, overrides that
// slurm.conf cannot hold, a cluster without compute nodes, more networks than a machine has
// interfaces, and GPUs whose interfaces have no network. Each diagnostic points to the setting. If
// there are errors already, reports only problems that they cannot have caused.
void check(const Cluster& cluster, const blueprint::Deployment& deployment,
           const NetworkOrigins& origins, const Catalogue& catalogue,
           source::Diagnostics& diagnostics);

// Warns if a machine with GPU interfaces has fewer networks than interfaces. check() warns only if
// some of them have a network: with none, sockets may be intended.
void warn_missing_networks(const MachineType& machine, size_t networks, source::Span place,
                           source::Diagnostics& diagnostics);

}  // namespace slipway::cluster
