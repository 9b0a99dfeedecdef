// Writes Slurm's part of the definitions.
#pragma once

#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/google/context.h"

namespace slipway::google {

// Writes Slurm's configuration files and the profiles of machines to a folder in the controller's
// group, where they can be reviewed before deployment, and sets `slurm` for the expressions in
// module files (docs/reference/module-files.md). Throws Error if Slurm does not support the cluster.
void add_slurm(Context& context, const cluster::Cluster& cluster,
               const cluster::Catalogue& catalogue);

}  // namespace slipway::google
