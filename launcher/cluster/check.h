// Whether the parts of a cluster fit together: what no module can see of the others.
#pragma once

#include <map>
#include <string>

#include "launcher/blueprint/deployment.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/source/diagnostics.h"

namespace slipway::cluster {

// The module that makes a network, and its input that says where the addresses are; by network id.
struct NetworkOrigin {
  std::string module, input;
};
using NetworkOrigins = std::map<std::string, NetworkOrigin>;

// Address ranges that overlap or have too little room, places that nothing can be mounted at,
// overrides that slurm.conf cannot hold, no compute node, more networks than a machine has
// interfaces, and GPUs without the interfaces beside them: each a diagnostic at the setting. Where
// there are errors already, only what they cannot have caused is said.
void check(const Cluster& cluster, const blueprint::Deployment& deployment,
           const NetworkOrigins& origins, const Catalogue& catalogue,
           source::Diagnostics& diagnostics);

// A warning when a machine with interfaces beside its GPUs has fewer networks than interfaces.
// check() says so where some of them have one: with none, sockets may be what is wanted.
void say_missing_networks(const MachineType& machine, size_t networks, source::Span place,
                          source::Diagnostics& diagnostics);

}  // namespace slipway::cluster
