// The machines that Slurm started, for those who destroy its cluster.
#pragma once

#include "launcher/apply/destroy.h"

namespace slipway::commands {

// Finds and deletes them with the caller's own credentials, which are needed only if the deployment
// has a cluster.
apply::MadeMachines machines_made_by_slurm();

}  // namespace slipway::commands
