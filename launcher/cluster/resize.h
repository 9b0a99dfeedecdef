// Another number of nodes than the blueprint has: for a rehearsal on a small machine, or a large
// one.
#pragma once

#include <string>
#include <vector>

#include "launcher/cluster/model.h"

namespace slipway::cluster {

// Each size is NODESET=N: a nodeset by its module's id or by Slurm's name, and the number of its
// nodes that are always up. Throws UsageError.
void resize(Cluster& cluster, const std::vector<std::string>& sizes);

}  // namespace slipway::cluster
