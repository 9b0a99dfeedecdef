// The Slurm that the nodes of a local cluster have.
#pragma once

#include <filesystem>
#include <string>

#include "common/slurm_version.h"

namespace slipway::local {

struct NodeSlurm {
  SlurmVersion version;
  bool has_pmix = true;  // its plugin for PMIx, by which srun starts MPI programs
};

// That of an image, or for "" this machine's own. Throws Error.
NodeSlurm slurm_of_image(const std::string& name);

// Whether the Slurm below `root` has its plugin for PMIx. True if its plugins are in a folder that
// neither Debian, nor Slurm's own packages, nor its `make install` uses.
bool has_pmix_plugin(const std::filesystem::path& root);

// What a user should know about MPI programs on such nodes; often "".
std::string note_on_mpi(const NodeSlurm& slurm);

}  // namespace slipway::local
