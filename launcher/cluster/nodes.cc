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

}  // namespace

std::vector<Node> nodes(const Cluster& cluster) {
  std::vector<Node> nodes;
  nodes.push_back({cluster.name + "-controller", "controller", cluster.controller.id,
                   cluster.controller.machine, false});
  for (const Login& login : cluster.logins) {
    for (int64_t i = 1; i <= login.count; ++i) {
      nodes.push_back({fmt::format("{}-{}-{:03}", cluster.name, login.name, i), "login", login.id,
                       login.machine, false});
    }
  }
  for (const Nodeset& nodeset : cluster.nodesets) {
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
