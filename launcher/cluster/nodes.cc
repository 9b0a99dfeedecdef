// The machines of a cluster, by name.
#include <fmt/format.h>

#include "launcher/cluster/model.h"

namespace slipway::cluster {

std::vector<Node> nodes(const Cluster& cluster) {
  std::vector<Node> nodes;
  nodes.push_back({cluster.name + "-controller", "controller", cluster.controller.id,
                   cluster.controller.machine});
  for (const Login& login : cluster.logins) {
    for (int64_t i = 1; i <= login.count; ++i) {
      nodes.push_back({fmt::format("{}-{}-{:03}", cluster.name, login.name, i), "login", login.id,
                       login.machine});
    }
  }
  for (const Nodeset& nodeset : cluster.nodesets) {
    for (int64_t i = 0; i < nodeset.node_count_static; ++i) {
      nodes.push_back({fmt::format("{}-{}-{}", cluster.name, nodeset.name, i), "compute",
                       nodeset.id, nodeset.machine});
    }
  }
  return nodes;
}

}  // namespace slipway::cluster
