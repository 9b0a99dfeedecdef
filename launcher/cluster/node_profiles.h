// Builds the node profile of each node of a cluster (common/node_profile.h).
#pragma once

#include <string>
#include <vector>

#include "common/node_profile.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"

namespace slipway::cluster {

// What the place where a node runs adds to the model.
struct ProfileSite {
  std::string target;  // "local" or "google"

  // The node's addresses with prefix length ("10.0.0.5/24"), one for each of node.machine.networks
  // in the same order. Empty if the cloud assigns them.
  std::vector<std::string> addresses;
};

// The profile of one node. Its networks take the machine type's interfaces in order; interfaces
// without a network are left out. The transport is the machine type's own if all its GPU interfaces
// have a network, the place provides it and the catalogue has rules for it; otherwise `socket`.
// `$(host_nics)` and `$(gpu_nics)` in its rules are replaced. Throws Error with the node's name if
// the machine type is unknown, if it has no network or more networks than interfaces, or if the
// addresses do not match the networks.
NodeProfile profile_of(const Node& node, const Cluster& cluster, const Catalogue& catalogue,
                       const ProfileSite& site);

// The catalogue's transport with the names of a node's interfaces filled in.
NodeTransport fill_in(const TransportType& type,
                      const std::vector<NodeProfile::Interface>& interfaces);

}  // namespace slipway::cluster
