// Builds the cluster model from a blueprint's Deployment.
#pragma once

#include <optional>

#include "launcher/blueprint/evaluation.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/source/diagnostics.h"

namespace slipway::cluster {

// True if the blueprint has Slurm: a nodeset, a partition, a login group or a controller.
bool has_cluster(const blueprint::Deployment& deployment);

// Evaluates each module's `model` and joins the parts, starting at the controller: partitions that
// it does not use, and nodesets without a partition, are left out. Reports problems as diagnostics,
// even if the Deployment already has errors; then returns nothing.
std::optional<Cluster> build(blueprint::Evaluation& evaluation, const Catalogue& catalogue,
                             source::Diagnostics& diagnostics);

}  // namespace slipway::cluster
