// Lists the machines of a cluster with their names.
#include <fmt/core.h>

#include "launcher/cluster/model.h"

namespace slipway::cluster {
namespace {

// The compute nodes of a nodeset from number `first` up to, not including, `end`.
void add_numbered(std::vector<Node>& nodes, const Cluster& cluster, const Nodeset& nodeset,
                  int64_t first, int64_t end, bool on_demand) {
  for (int64_t i = first; i < end; ++i) {
    nodes.push_back({fmt::format("{}-{}-{}", cluster.name, nodeset.name, i), "compute", nodeset.id,
                     nodeset.machine, on_demand});
  }
}

void add_hosts(std::vector<Node>& nodes, const std::vector<Host>& hosts, const std::string& role,
               const std::string& group, const MachineSpec& machine) {
  for (const Host& host : hosts) {
    nodes.push_back({host.name, role, group, machine, false, host.address});
  }
}

}  // namespace

std::string controller_name(const Cluster& cluster) {
  const std::vector<Host>& hosts = cluster.controller.hosts;
  return hosts.empty() ? cluster.name + "-controller" : hosts.front().name;
}

std::vector<Node> nodes(const Cluster& cluster) {
  std::vector<Node> nodes;
  const Controller& controller = cluster.controller;
  if (controller.hosts.empty()) {
    nodes.push_back(
        {controller_name(cluster), "controller", controller.id, controller.machine, false});
  }
  add_hosts(nodes, controller.hosts, "controller", controller.id, controller.machine);
  for (const Login& login : cluster.logins) {
    add_hosts(nodes, login.hosts, "login", login.id, login.machine);
    if (!login.hosts.empty()) continue;
    for (int64_t i = 1; i <= login.count; ++i) {
      nodes.push_back({fmt::format("{}-{}-{:03}", cluster.name, login.name, i), "login", login.id,
                       login.machine, false});
    }
  }
  for (const Nodeset& nodeset : cluster.nodesets) {
    add_hosts(nodes, nodeset.hosts, "compute", nodeset.id, nodeset.machine);
    if (!nodeset.hosts.empty()) continue;
    add_numbered(nodes, cluster, nodeset, 0, nodeset.node_count_static, false);
  }
  return nodes;
}

std::vector<Node> dynamic_nodes(const Cluster& cluster) {
  std::vector<Node> nodes;
  for (const Nodeset& nodeset : cluster.nodesets) {
    add_numbered(nodes, cluster, nodeset, nodeset.node_count_static,
                 nodeset.node_count_static + nodeset.node_count_dynamic_max, true);
  }
  return nodes;
}

}  // namespace slipway::cluster
