// The Slurm that a node has.
#pragma once

#include <filesystem>

#include "common/slurm_version.h"

namespace slipway::node {

struct InstalledSlurm {
  SlurmVersion version;
  bool has_pmix = true;  // its plugin for PMIx, by which srun starts MPI programs
};

// That of this machine. Throws Error.
InstalledSlurm installed_slurm();

// Whether the Slurm below `root` has its plugin for PMIx. True if its plugins are in a folder that
// neither Debian, nor Slurm's own packages, nor its `make install` uses.
bool has_pmix_plugin(const std::filesystem::path& root);

}  // namespace slipway::node
