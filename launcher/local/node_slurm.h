// The Slurm that the nodes of a local cluster have.
#pragma once

#include <string>

#include "launcher/node/installed_slurm.h"

namespace slipway::local {

// That of an image, or for "" this machine's own. Throws Error.
node::InstalledSlurm slurm_of_image(const std::string& name);

// What a user should know about MPI programs on such nodes; often "".
std::string note_on_mpi(const node::InstalledSlurm& slurm);

}  // namespace slipway::local
