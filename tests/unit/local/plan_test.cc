#include "launcher/local/plan.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "tests/unit/catch.h"
#include "tests/unit/cluster/quickstart.h"

using namespace slipway;
using namespace slipway::local;

TEST_CASE("plan: the controller is first, and addresses follow the order of the nodes") {
  const Plan plan = make_plan(cluster::quickstart_cluster(), cluster::shipped_catalogue());
  REQUIRE(plan.nodes.size() == 6);
  CHECK(plan.controller().role == "controller");
  CHECK(plan.nodes[0].ports.at(0).address == "10.0.0.2/16");
  CHECK(plan.nodes[5].ports.at(0).address == "10.0.0.7/16");
}

TEST_CASE("plan: /etc/hosts has every node's first address") {
  const Plan plan = make_plan(cluster::quickstart_cluster(), cluster::shipped_catalogue());
  for (const PlannedNode& node : plan.nodes) {
    const std::string& address = node.ports.at(0).address;
    CHECK_THAT(plan.hosts,
               ContainsSubstring(address.substr(0, address.find('/')) + " " + node.name + "\n"));
  }
}

TEST_CASE("plan: a machine mounts a file system where its settings say, also twice") {
  cluster::Cluster cluster = cluster::quickstart_cluster();
  cluster.nodesets.at(0).machine.file_systems = {{"homefs", "/shared"}, {"homefs", "/apps"}};
  const Plan plan = make_plan(cluster, cluster::shipped_catalogue());
  const PlannedNode& compute = plan.nodes.back();
  REQUIRE(compute.mounts.size() == 2);
  CHECK(compute.mounts[0].shared == "homefs");
  CHECK(compute.mounts[0].target == "/apps");
  CHECK(compute.mounts[1].target == "/shared");
  CHECK(plan.controller().mounts.at(0).target == "/home");
  CHECK_THAT(compute.node_json, ContainsSubstring("/shared"));
}

TEST_CASE("plan: a bridge carries the largest frames of its nodes") {
  cluster::Cluster cluster = cluster::quickstart_cluster();
  cluster.networks.at(0).mtu_bytes = 1460;
  const Plan plan = make_plan(cluster, cluster::shipped_catalogue());
  for (const PlannedNode& node : plan.nodes) {
    CHECK(plan.bridges.at(0).mtu_bytes >= node.ports.at(0).mtu_bytes);
  }
}

TEST_CASE("plan: mounts of shared file systems list parents first") {
  cluster::Cluster cluster = cluster::quickstart_cluster();
  cluster.file_systems.push_back({"inner", "nfs", "/home/inner", 1024, cluster.networks[0].id});
  auto& file_systems = cluster.nodesets.at(0).machine.file_systems;
  file_systems.insert(file_systems.begin(), {"inner", "/home/inner"});
  const Plan plan = make_plan(cluster, cluster::shipped_catalogue());
  const std::vector<Mount>& mounts = plan.nodes.back().mounts;
  REQUIRE(mounts.size() == 2);
  CHECK(mounts[0].target == "/home");
  CHECK(mounts[1].target == "/home/inner");
}

TEST_CASE("plan: compute nodes have GPUs, others do not") {
  const Plan plan = make_plan(cluster::quickstart_cluster(), cluster::shipped_catalogue());
  CHECK(plan.nodes[0].gpu_devices.empty());
  CHECK(plan.nodes[1].gpu_devices.empty());
  CHECK(plan.nodes[2].gpu_devices.size() == 8);
}

TEST_CASE("plan: a network that is too small is an error") {
  cluster::Cluster cluster = cluster::quickstart_cluster();
  cluster.networks.at(0).cidr = "10.0.0.0/29";
  CHECK_THROWS_WITH(make_plan(cluster, cluster::shipped_catalogue()),
                    "network 10.0.0.0/29 has room for 4 nodes only");
}

TEST_CASE("plan: a node that cannot reach the controller is an error") {
  cluster::Cluster cluster = cluster::quickstart_cluster();
  cluster.networks.push_back({"net2", "quickstart-net2", "10.1.0.0/16", 8244});
  cluster.logins.at(0).machine.networks = {"net2"};
  CHECK_THROWS_WITH(make_plan(cluster, cluster::shipped_catalogue()),
                    "quickstart-login-001 has `net2` as its first network, the controller has "
                    "`network`: they cannot reach each other");
}

TEST_CASE("plan: the description names every node for `slipway status`") {
  const nlohmann::json description =
      describe(make_plan(cluster::quickstart_cluster(), cluster::shipped_catalogue()));
  CHECK(description["schema"] == "slipway/local/1");
  CHECK(description["nodes"].size() == 6);
}

TEST_CASE("plan: on-demand nodes come last, with addresses and names, and Slurm knows them") {
  cluster::Cluster cluster = cluster::quickstart_cluster(2);
  cluster.nodesets.at(0).node_count_dynamic_max = 1;
  const Plan plan = make_plan(cluster, cluster::shipped_catalogue());
  CHECK(plan.elastic());
  CHECK_FALSE(plan.nodes.at(3).on_demand);
  CHECK(plan.nodes.back().name == "quickstart-a3meganodeset-2");
  CHECK_THAT(plan.hosts, ContainsSubstring("10.0.0.6 quickstart-a3meganodeset-2\n"));
  CHECK_THAT(plan.slurm_files.at("slurm.conf"),
             ContainsSubstring("NodeName=quickstart-a3meganodeset-2 State=CLOUD"));
}

TEST_CASE("plan: a cluster without on-demand nodes is not elastic") {
  const Plan plan = make_plan(cluster::quickstart_cluster(), cluster::shipped_catalogue());
  CHECK_FALSE(plan.elastic());
  CHECK(plan.slurm_files.at("slurm.conf").find("ResumeProgram") == std::string::npos);
}

TEST_CASE("plan: with accounting slurm.conf names slurmdbd, whose own file is not shared") {
  cluster::Cluster cluster = cluster::quickstart_cluster();
  const Plan without = make_plan(cluster, cluster::shipped_catalogue());
  CHECK(without.slurmdbd_conf.empty());
  CHECK_THAT(without.slurm_files.at("slurm.conf"), !ContainsSubstring("Accounting"));
  cluster.controller.accounting = true;
  const Plan plan = make_plan(cluster, cluster::shipped_catalogue());
  CHECK_THAT(plan.slurm_files.at("slurm.conf"),
             ContainsSubstring("AccountingStorageHost=quickstart-controller\n"));
  CHECK_THAT(plan.slurmdbd_conf, ContainsSubstring("DbdHost=quickstart-controller\n") &&
                                     ContainsSubstring("StorageHost=localhost\n") &&
                                     !ContainsSubstring("StoragePass"));
  CHECK_FALSE(plan.slurm_files.contains("slurmdbd.conf"));
}
