// Generates the lines of slurm.conf and gres.conf for nodes, nodesets and partitions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/cluster/slurm_line.h"
#include "launcher/cluster/slurm_site.h"

namespace slipway::cluster {

// Keys that users cannot override: Slipway names nodes and partitions.
extern const std::vector<std::string> fixed_node_keys, fixed_partition_keys;

// The lines for one nodeset.
struct NodesetLines {
  std::string name;                    // of the NodeSet
  std::string feature;                 // the feature that selects its nodes if they register
                                       // themselves
  std::string prefix;                  // of its nodes' names: "quickstart-n-"
  int64_t count = 0;                   // of its nodes
  std::string names;                   // hostlist of its nodes: "quickstart-n-[0-3]"; empty if it
                                       // has none
  std::string static_names;            // hostlist of its static nodes; empty if it has none
  SlurmLine node;                      // NodeName=… with all overrides
  std::vector<SlurmLine> lines;        // that line, or one per State: first the static nodes
  std::string gres;                    // line for gres.conf; empty without GPUs
  int64_t memory_per_cpu_mib = 0;      // default for jobs that do not request memory
  int64_t nvlink_domain_machines = 0;  // from the machine type
};

// The names from `first` to `last`, as "quickstart-n-[0-3]"; empty if there are none.
std::string hostlist(const std::string& prefix, int64_t first, int64_t last);

// On an elastic site, includes the dynamic nodes as State=CLOUD. Throws Error.
NodesetLines nodeset_lines(const Cluster& cluster, const Nodeset& nodeset,
                           const Catalogue& catalogue, const SlurmSite& site);

// What a node that registers itself sends to slurmctld: its line without name and state. Throws
// Error.
std::string joining_node_conf(const Nodeset& nodeset, const Catalogue& catalogue);

// PartitionName=…; `nodesets` are keyed by name. Throws Error.
SlurmLine partition_line(const Partition& partition,
                         const std::map<std::string, NodesetLines>& nodesets,
                         const SlurmSite& site);

}  // namespace slipway::cluster
