// The profile of a node on a cluster where nobody wrote one.
#pragma once

#include "common/node_profile.h"

namespace slipway::commands {

// What this machine says about itself, on the node and the cluster of the job that this process
// belongs to, if any. Does not ask NVML, which may take seconds. Throws Error outside of a cluster.
NodeProfile describe_own_node();

}  // namespace slipway::commands
