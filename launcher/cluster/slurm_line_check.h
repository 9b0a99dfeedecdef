// Checks what blueprints set on the lines of nodes and partitions of slurm.conf.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/source/diagnostics.h"

namespace slipway::cluster {

// Reports keys and values of `node_conf` and `partition_conf` that Slurm does not take, that
// exclude each other, or that have no effect.
void check_slurm_lines(const Cluster& cluster, const blueprint::Deployment& deployment,
                       const Catalogue& catalogue, source::Diagnostics& diagnostics);

}  // namespace slipway::cluster
