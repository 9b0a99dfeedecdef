// What a host says about itself to `slipway deploy`: `slipway node join --facts`.
#pragma once

#include <string>
#include <vector>

#include "common/node_profile.h"
#include "common/slurm_version.h"

namespace slipway::hosts {

struct HostFacts {
  std::string version;    // of Slipway
  std::string host_name;  // up to the first dot
  SlurmVersion slurm;
  bool has_pmix = false;     // Slurm's plugin
  bool has_cgroups = false;  // version 2, and systemd, which gives slurmd a part of them
  std::string programs;      // folder of Slipway's programs around jobs
  std::string plugins;       // folder of its SPANK plugins for this Slurm
  std::string deployment;    // that it is in; empty if none
  bool has_foreign_slurm = false;
  std::string node_line;  // of a compute node: what `slurmd -C` prints first
  NodeProfile profile;
  std::vector<std::string> warnings;
  std::vector<std::string> missing;  // what its machine type has and it does not
};

std::string to_json(const HostFacts& facts);
// Throws Error.
HostFacts parse_host_facts(const std::string& text);

}  // namespace slipway::hosts
