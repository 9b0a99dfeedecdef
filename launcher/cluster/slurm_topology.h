// Generates Slurm's topology: which nodes are close to each other.
#pragma once

#include <string>
#include <vector>

#include "launcher/cluster/slurm_nodes.h"
#include "launcher/cluster/slurm_site.h"

namespace slipway::cluster {

struct Topology {
  SlurmSetting plugin;     // TopologyPlugin of slurm.conf
  SlurmSetting parameter;  // TopologyParam; its key may be empty
  std::string padding;     // lines for slurm.conf; may be empty
  std::string text;        // topology.conf
};

// A block for each NVLink domain if machine types have them and the site's Slurm has
// topology/block; otherwise a switch for each nodeset. Nodesets without nodes are left out.
Topology make_topology(const Cluster& cluster, const std::vector<NodesetLines>& nodesets,
                       const SlurmSite& site);

}  // namespace slipway::cluster
