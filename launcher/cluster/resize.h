// Overrides the blueprint's node counts from the command line, to rehearse at another scale.
#pragma once

#include <string>
#include <vector>

#include "launcher/cluster/model.h"

namespace slipway::cluster {

// Each size is NODESET=N: a nodeset's module id or Slurm name, and its number of static nodes.
// Throws UsageError.
void resize(Cluster& cluster, const std::vector<std::string>& sizes);

}  // namespace slipway::cluster
