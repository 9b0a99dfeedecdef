// Which release of Slurm can follow which: slurm_releases.yaml of the catalogue.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "common/slurm_version.h"

namespace slipway::cluster {

struct SlurmReleases {
  // By release (the micro version is 0): the oldest one that it can be upgraded from.
  std::map<SlurmVersion, SlurmVersion> oldest_before;

  // Why slurmctld of `to` cannot take over the state of `from`, nor work with its slurmd: "Slurm
  // 24.11 works with 23.02 and newer". Empty if it can.
  std::string why_not(const SlurmVersion& from, const SlurmVersion& to) const;
};

// `catalogue`: the folder <blueprints>/catalogue. Without the file, only going back is refused.
// Throws Error with all problems of the file.
SlurmReleases load_slurm_releases(const std::filesystem::path& catalogue);

}  // namespace slipway::cluster
