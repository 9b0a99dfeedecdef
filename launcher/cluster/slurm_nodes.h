// The lines of slurm.conf and gres.conf about nodes, nodesets and partitions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/cluster/slurm_line.h"
#include "launcher/cluster/slurm_site.h"

namespace slipway::cluster {

// Keys of their lines that a user cannot set: Slipway gives machines and partitions their names.
extern const std::vector<std::string> fixed_node_keys, fixed_partition_keys;

// What Slurm is told of one nodeset.
struct NodesetLines {
  std::string name;                    // of the NodeSet
  std::string feature;                 // what collects its nodes when they join by themselves
  std::string prefix;                  // of its nodes' names: "quickstart-n-"
  int64_t count = 0;                   // of its nodes
  std::string names;                   // hostlist of its nodes: "quickstart-n-[0-3]"; empty without
  std::string static_names;            // hostlist of those that are always on; empty without
  SlurmLine node;                      // NodeName=… with everything overridden
  std::vector<SlurmLine> lines;        // that, or one for each State: first those always on
  std::string gres;                    // line of gres.conf; empty without GPUs
  int64_t memory_per_cpu_mib = 0;      // what a job gets that does not ask
  int64_t nvlink_domain_machines = 0;  // of the machine type
};

// "quickstart-n-[0-3]": the names with the numbers from `first` to `last`; empty without any.
std::string hostlist(const std::string& prefix, int64_t first, int64_t last);

// Where the site is elastic, dynamic nodes are there too, and are State=CLOUD. Throws Error.
NodesetLines nodeset_lines(const Cluster& cluster, const Nodeset& nodeset,
                           const Catalogue& catalogue, const SlurmSite& site);

// What a node that joins by itself tells slurmctld: the line of it, without a name and a state.
// Throws Error.
std::string joining_node_conf(const Nodeset& nodeset, const Catalogue& catalogue);

// PartitionName=…; `nodesets` is by name. Throws Error.
SlurmLine partition_line(const Partition& partition,
                         const std::map<std::string, NodesetLines>& nodesets,
                         const SlurmSite& site);

}  // namespace slipway::cluster
