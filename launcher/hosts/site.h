// What a site's own Slurm configuration says.
#pragma once

#include <string>

#include "launcher/health/machine.h"

namespace slipway::hosts {

struct ClusterName {
  std::string name;  // "research"
  std::string file;  // "/etc/slurm/slurm.conf"
};

// From slurm.conf where distributions and configless nodes have it. Throws Error if none has it.
ClusterName find_cluster_name(const health::Machine& machine);

// The value of a key that a slurm.conf has once, as its last line sets it; "" without it. Keys are
// case-insensitive, `#` begins a comment, and a line may continue after a backslash.
std::string slurm_value(const std::string& text, const std::string& key);

}  // namespace slipway::hosts
