// From a Deployment to the cluster that it means.
#pragma once

#include <optional>

#include "launcher/blueprint/evaluation.h"
#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/source/diagnostics.h"

namespace slipway::cluster {

// True when a blueprint has Slurm in it: a nodeset, a partition, a login or a controller.
bool has_cluster(const blueprint::Deployment& deployment);

// Evaluates each module's `model` and puts the parts together, from the controller down: partitions
// that the controller does not get, and nodesets without a partition, are not in the cluster. What
// is wrong is a diagnostic, said also for a Deployment that has errors already; then nothing is
// returned.
std::optional<Cluster> build(blueprint::Evaluation& evaluation, const Catalogue& catalogue,
                             source::Diagnostics& diagnostics);

}  // namespace slipway::cluster
