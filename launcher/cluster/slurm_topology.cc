// Generates blocks of NVLink domains, or a tree of switches.
#include "launcher/cluster/slurm_topology.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"

namespace slipway::cluster {
namespace {

// The nodes of a nodeset are created together, so they are close to each other.
Topology switches(const std::vector<NodesetLines>& nodesets) {
  Topology topology;
  topology.plugin = {"TopologyPlugin", "topology/tree",
                     "topology.conf shows which nodes are close to each other."};
  topology.parameter = {"TopologyParam", "SwitchAsNodeRank",
                        "A job's ranks follow the switches of its nodes."};
  std::vector<std::string> names;
  for (const NodesetLines& nodeset : nodesets) {
    if (nodeset.names.empty()) continue;
    topology.text += fmt::format("SwitchName={} Nodes={}\n", nodeset.name, nodeset.names);
    names.push_back(nodeset.name);
  }
  topology.text += fmt::format("SwitchName=slipway-root Switches={}\n", join(names, ","));
  return topology;
}

// Slurm requires that every block has as many nodes as the largest: nodes that never exist
// (State=FUTURE) fill the smaller ones.
Topology blocks(const Cluster& cluster, const std::vector<NodesetLines>& nodesets, int64_t size) {
  Topology topology;
  topology.plugin = {"TopologyPlugin", "topology/block",
                     "topology.conf shows which nodes share an NVLink domain. `sbatch --segment` "
                     "keeps parts of a job within one."};
  int64_t missing = 0;
  const std::string nowhere = cluster.name + "-nowhere-";
  for (const NodesetLines& nodeset : nodesets) {
    const int64_t domain = nodeset.nvlink_domain_machines;
    if (domain == 0) continue;  // outside of all blocks; Slurm uses such nodes as usual
    for (int64_t first = 0; first < nodeset.count; first += domain) {
      const int64_t last = std::min(first + domain, nodeset.count) - 1;
      std::string nodes = hostlist(nodeset.prefix, first, last);
      if (const int64_t gap = size - (last - first + 1); gap > 0) {
        nodes += "," + hostlist(nowhere, missing, missing + gap - 1);
        missing += gap;
      }
      topology.text +=
          fmt::format("BlockName={}-{} Nodes={}\n", nodeset.name, first / domain, nodes);
    }
  }
  topology.text += fmt::format("BlockSizes={}\n", size);
  if (missing > 0) {
    topology.padding = fmt::format(
        "# These nodes never exist: they fill the blocks of topology.conf, which must all have the "
        "same "
        "size.\n"
        "NodeName={} State=FUTURE CPUs=1\n",
        hostlist(nowhere, 0, missing - 1));
  }
  return topology;
}

}  // namespace

Topology make_topology(const Cluster& cluster, const std::vector<NodesetLines>& nodesets,
                       const SlurmSite& site) {
  int64_t largest = 0;
  for (const NodesetLines& nodeset : nodesets) {
    if (nodeset.count > 0) largest = std::max(largest, nodeset.nvlink_domain_machines);
  }
  const auto wanted = cluster.controller.slurm_conf.find("TopologyPlugin");
  const bool as_tree =
      wanted != cluster.controller.slurm_conf.end() && wanted->second == "topology/tree";
  if (largest > 0 && !as_tree && site.has_blocks()) return blocks(cluster, nodesets, largest);
  Topology tree = switches(nodesets);
  if (largest > 0 && !as_tree) {
    tree.plugin.why =
        "This Slurm has neither topology/block nor `sbatch --segment`, which came with 24.05: jobs "
        "may be spread over NVLink domains.";
  }
  return tree;
}

}  // namespace slipway::cluster
