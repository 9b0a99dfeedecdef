// Slurm's ResumeProgram and SuspendProgram on Google Cloud.
#include "launcher/node/power.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "launcher/node/maker.h"
#include "launcher/node/suspend_nodeset.h"

namespace slipway::node {
namespace {

using Names = std::vector<std::string>;

// Groups nodes by nodeset; those without one go to `unknown`.
std::map<std::string, Names> by_nodeset(const ClusterFile& cluster, const Names& nodes,
                                        Names& unknown) {
  std::map<std::string, Names> groups;
  for (const std::string& node : nodes) {
    if (nodeset_of(cluster, node) == nullptr) {
      unknown.push_back(node);
    } else {
      groups[prefix_of(node)].push_back(node);
    }
  }
  return groups;
}

void add_unknown(const Names& unknown, std::vector<Failed>& failed) {
  if (!unknown.empty()) failed.push_back({unknown, "its nodeset is not in cluster.json"});
}

// A status that we do not know does not mean that the machine is off.
bool is_off(const std::string& status) {
  constexpr std::array off = {"STOPPING",  "STOPPED",        "TERMINATED", "SUSPENDING",
                              "SUSPENDED", "DEPROVISIONING", "REPAIRING"};
  return std::ranges::find(off, status) != off.end();
}

}  // namespace

Resumed resume(Cloud& cloud, const ClusterFile& cluster, const ResumeOrder& order,
               const Patience& patience) {
  Names unknown;
  const std::vector<Batch> batches = batches_of(cluster, order, unknown);
  Maker maker(cloud, cluster, patience);
  Resumed resumed{maker.make(batches, order.jobs), {}};
  add_unknown(unknown, resumed.failed);
  try {
    resumed.physical_hosts = maker.physical_hosts(order.nodes);
  } catch (const Error& error) {
    if (patience.say) patience.say(fmt::format("cannot see where machines are: {}", error.what()));
  }
  return resumed;
}

std::vector<Failed> suspend(Cloud& cloud, const ClusterFile& cluster, const Names& nodes,
                            const Patience& patience) {
  std::vector<Failed> failed;
  Names unknown;
  for (const auto& [prefix, names] : by_nodeset(cluster, nodes, unknown)) {
    try {
      suspend_nodeset(cloud, *nodeset_of(cluster, names.front()), prefix, names, patience, failed);
    } catch (const std::exception& error) {
      failed.push_back({names, error.what()});
    }
  }
  add_unknown(unknown, failed);
  return failed;
}

std::vector<std::string> machines_off(Cloud& cloud, const ClusterFile& cluster, const Names& nodes,
                                      const Patience& patience) {
  Names unknown, off;
  for (const auto& [prefix, group] : by_nodeset(cluster, nodes, unknown)) {
    const Nodes& nodeset = *nodeset_of(cluster, group.front());
    Compute compute(cloud, nodeset.project, patience);
    const MachinesByName machines = list_machines_named(compute, nodeset.zones, prefix);
    for (const std::string& name : group) {
      const auto machine = machines.find(name);
      if (machine == machines.end() || is_off(machine->second.status)) off.push_back(name);
    }
  }
  return off;
}

}  // namespace slipway::node
