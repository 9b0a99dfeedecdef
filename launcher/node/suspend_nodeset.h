// Deletes machines of one nodeset, with what was made for them.
#pragma once

#include <string>
#include <vector>

#include "launcher/node/power.h"

namespace slipway::node {

// `prefix` is what the names of the nodeset's machines begin with: "c-gpu-". Adds the nodes whose
// machine could not be deleted. Throws Error if the cloud does not answer.
void suspend_nodeset(Cloud& cloud, const Nodes& nodeset, const std::string& prefix,
                     const std::vector<std::string>& nodes, const Patience& patience,
                     std::vector<Failed>& failed);

}  // namespace slipway::node
