// Reads what a controller's module sets of Slurm: parameters, templates and scripts around jobs.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/cluster/model.h"
#include "launcher/cluster/model_part.h"
#include "launcher/source/diagnostics.h"

namespace slipway::cluster {

// Fills in what of `controller` is for clusters in a cloud. Reads the files that the module names.
void read_slurm_settings(const ModelPart& part, const blueprint::Deployment& deployment,
                         source::Diagnostics& diagnostics, Controller& controller);

}  // namespace slipway::cluster
