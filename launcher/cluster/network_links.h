// Finds the networks of a machine's interfaces in the cluster model.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launcher/cluster/model.h"
#include "launcher/cluster/model_part.h"

namespace slipway::cluster {

// Ids of networks by the module that makes them.
using NetworksByModule = std::map<std::string, std::vector<std::string>>;

// The ids of the networks of `links`, in their order. If a module makes several networks, the nth
// link to it refers to the nth: a machine's interfaces take a module's networks in order. A link to
// a network that no module of the blueprint makes, or one without a model, adds a network of which
// only the cloud knows the range.
std::vector<std::string> resolve(const std::vector<NetworkLink>& links,
                                 const NetworksByModule& made_by, std::vector<Network>& networks);

}  // namespace slipway::cluster
