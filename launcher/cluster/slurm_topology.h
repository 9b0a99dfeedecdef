// Which nodes are near each other, as Slurm is told.
#pragma once

#include <string>
#include <vector>

#include "launcher/cluster/slurm_nodes.h"
#include "launcher/cluster/slurm_site.h"

namespace slipway::cluster {

struct Topology {
  SlurmSetting plugin;  // TopologyPlugin of slurm.conf
  std::string padding;  // a line of slurm.conf; may be empty
  std::string text;     // topology.conf
};

// A block for each NVLink domain where machine types have them, with the topology/block of Slurm
// 24.05 and newer; else a switch for each nodeset. Of nodesets without nodes nothing is said.
Topology make_topology(const Cluster& cluster, const std::vector<NodesetLines>& nodesets);

}  // namespace slipway::cluster
