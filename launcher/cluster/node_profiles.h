// The node profile of each node of a cluster (common/node_profile.h).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "common/node_profile.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"

namespace slipway::cluster {

// What the place where the node runs adds to what the model says.
struct ProfileSite {
  std::string target;  // "local" or "google"

  // Names of the transports that the place can provide. `socket` needs no provision.
  std::set<std::string> transports;

  // The node's own addresses with prefix length ("10.0.0.5/24"), one for each of
  // node.machine.networks in the same order. Empty where the cloud assigns them.
  std::vector<std::string> addresses;
};

// The profile of one node. Its networks take the machine type's interfaces in order; an interface
// without a network is left out. The machine type's own transport is named where all its GPU
// interfaces have a network, the place provides it and the catalogue has rules for it, otherwise
// `socket`; `$(host_nics)` and
// `$(gpu_nics)` in its rules are replaced. Throws Error with the node's name when the machine type
// is unknown, or when there are no networks, more networks than interfaces, or addresses that do
// not match the networks.
NodeProfile profile_of(const Node& node, const Cluster& cluster, const Catalogue& catalogue,
                       const ProfileSite& site);

}  // namespace slipway::cluster
