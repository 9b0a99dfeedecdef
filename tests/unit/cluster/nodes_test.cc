#include "launcher/cluster/model.h"

#include "tests/unit/catch.h"
#include "tests/unit/cluster/quickstart.h"

using namespace slipway::cluster;

namespace {

std::vector<std::string> described(const std::vector<Node>& nodes) {
  std::vector<std::string> out;
  for (const Node& node : nodes) {
    out.push_back(node.name + " " + node.role + " of " + node.group + ": " +
                  node.machine.machine_type);
  }
  return out;
}

}  // namespace

TEST_CASE("nodes: the controller, the logins, then the nodesets' static nodes") {
  Cluster cluster = quickstart_cluster(2);
  cluster.logins[0].count = 2;
  cluster.nodesets[0].node_count_dynamic_max = 10;
  CHECK(described(nodes(cluster)) ==
        std::vector<std::string>{
            "quickstart-controller controller of controller: c2-standard-4",
            "quickstart-login-001 login of login: n2-standard-4",
            "quickstart-login-002 login of login: n2-standard-4",
            "quickstart-a3meganodeset-0 compute of a3mega_nodeset: a3-megagpu-8g",
            "quickstart-a3meganodeset-1 compute of a3mega_nodeset: a3-megagpu-8g",
        });
}

TEST_CASE("nodes: a cluster can be a controller alone") {
  Cluster cluster = quickstart_cluster(0);
  cluster.logins.clear();
  CHECK(described(nodes(cluster)) ==
        std::vector<std::string>{"quickstart-controller controller of controller: c2-standard-4"});
}

TEST_CASE("nodes: on-demand nodes continue the numbers of the static ones") {
  Cluster cluster = quickstart_cluster(2);
  cluster.nodesets[0].node_count_dynamic_max = 2;
  CHECK(described(dynamic_nodes(cluster)) ==
        std::vector<std::string>{
            "quickstart-a3meganodeset-2 compute of a3mega_nodeset: a3-megagpu-8g",
            "quickstart-a3meganodeset-3 compute of a3mega_nodeset: a3-megagpu-8g",
        });
  CHECK(dynamic_nodes(cluster).at(0).on_demand);
}
