// The keys that Slurm knows on the lines of nodes and partitions.
#pragma once

#include <string>
#include <vector>

namespace slipway::cluster {

// From slurm.conf(5) of Slurm 22.05 to 25.05, with the older names that it still accepts. Slurm
// does not start with any other key.
extern const std::vector<std::string> slurm_node_keys, slurm_partition_keys;

// Slurm ignores the case of keys.
bool is_slurm_key(const std::vector<std::string>& keys, const std::string& key);

}  // namespace slipway::cluster
