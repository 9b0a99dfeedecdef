// Slurm's part of the definitions.
#pragma once

#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/google/context.h"

namespace slipway::google {

// Writes Slurm's files and the profile of each kind of machine into a folder of the controller's
// group, to be read before anything is made, and gives the files of all modules what they call
// `slurm` (docs/module-files.md). Throws Error when Slurm cannot have such a cluster.
void add_slurm(Context& context, const cluster::Cluster& cluster,
               const cluster::Catalogue& catalogue);

}  // namespace slipway::google
