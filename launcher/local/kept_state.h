// A copy of what slurmctld and slurmdbd keep on disk, from before they are replaced: a newer Slurm
// writes it in a form that the older one cannot read. Everything here may be repeated after it was
// interrupted. Throws Error.
#pragma once

#include "launcher/local/deployment_folder.h"

namespace slipway::local {

// Call it while neither runs. A copy that is there already stays: it is older.
void keep_state(const DeploymentFolder& folder);

// Puts the copy back, if there is one. Call it while neither runs.
void restore_kept_state(const DeploymentFolder& folder);

void drop_kept_state(const DeploymentFolder& folder);

}  // namespace slipway::local
