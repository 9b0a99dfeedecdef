#include "launcher/local/changes.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "launcher/local/plan_json.h"
#include "tests/unit/catch.h"
#include "tests/unit/cluster/quickstart.h"

using namespace slipway;
using namespace slipway::local;
using Lines = std::vector<std::string>;

namespace {

// The changes from the running quickstart to the one that `change` makes.
Changes changes(const std::function<void(cluster::Cluster&)>& change) {
  const cluster::Catalogue catalogue = cluster::shipped_catalogue();
  cluster::Cluster cluster = cluster::quickstart_cluster(2);
  const Plan current = make_plan(cluster, catalogue);
  change(cluster);
  return compare(current, make_plan(cluster, catalogue, &current));
}

}  // namespace

TEST_CASE("changes: an identical cluster has none") {
  const Changes none = changes([](cluster::Cluster&) {});
  CHECK_FALSE(none.any());
  CHECK(lines(none).empty());
}

TEST_CASE("changes: another login node moves no compute node, and only Slurm's hosts change") {
  const Changes one = changes([](cluster::Cluster& c) { c.logins.at(0).count = 2; });
  CHECK(lines(one) == Lines{"nodes added: quickstart-login-002"});
  CHECK(one.hosts);
  CHECK(one.slurm == Changes::Slurm::nothing);
}

TEST_CASE("changes: Slurm reads nodes at startup, partitions while it runs") {
  const Changes nodes =
      changes([](cluster::Cluster& c) { c.nodesets.at(0).node_count_static = 1; });
  CHECK(lines(nodes) == Lines{"nodes removed: quickstart-a3meganodeset-1", "slurmctld restarts"});
  CHECK(nodes.stopped() == Lines{"quickstart-a3meganodeset-1"});
  const Changes partition =
      changes([](cluster::Cluster& c) { c.partitions.at(0).partition_conf["MaxTime"] = "90"; });
  CHECK(lines(partition) == Lines{"Slurm rereads its partitions"});
}

TEST_CASE("changes: a node whose machine changes is replaced, with the reason") {
  const Changes one =
      changes([](cluster::Cluster& c) { c.logins.at(0).machine.machine_type = "n2-standard-8"; });
  CHECK(lines(one) == Lines{"nodes replaced: quickstart-login-001 (its machine type is "
                            "n2-standard-8, and was n2-standard-4)"});
  CHECK(one.stopped() == one.started());
  const Changes history = changes([](cluster::Cluster& c) { c.controller.accounting = true; });
  CHECK(lines(history) ==
        Lines{"nodes replaced: quickstart-controller (job accounting is turned on)",
              "slurmctld restarts"});
}

TEST_CASE("changes: long lists of nodes are shortened") {
  const Changes many =
      changes([](cluster::Cluster& c) { c.nodesets.at(0).node_count_static = 20; });
  CHECK(lines(many).at(0) ==
        "nodes added: quickstart-a3meganodeset-2, … quickstart-a3meganodeset-19 (18 in all)");
}

TEST_CASE("changes: a change that is impossible while the deployment runs is an error") {
  CHECK_THROWS_WITH(
      changes([](cluster::Cluster& c) { c.networks.at(0).cidr = "10.9.0.0/16"; }),
      "the address range of network `quickstart-net` cannot change while the deployment runs (its "
      "gateway is 10.0.0.1/16, and would be 10.9.0.1/16): destroy it first");
  CHECK_THROWS_WITH(changes([](cluster::Cluster& c) { c.name = "other"; }),
                    "the name of the cluster cannot change while the deployment runs (it is "
                    "`quickstart`, and would be `other`): destroy it first");
}

TEST_CASE("plan: existing nodes keep their addresses and slots, new ones take free ones") {
  const cluster::Catalogue catalogue = cluster::shipped_catalogue();
  cluster::Cluster cluster = cluster::quickstart_cluster(2);
  const Plan first = make_plan(cluster, catalogue);
  cluster.logins.at(0).count = 2;
  const Plan second = make_plan(cluster, catalogue, &first);
  CHECK(second.nodes.at(2).name == "quickstart-login-002");
  CHECK(second.nodes.at(2).ports.at(0).address == "10.0.0.6/16");
  CHECK(second.nodes.at(2).slot == 4);
  CHECK(second.nodes.at(3).ports.at(0).address == first.nodes.at(2).ports.at(0).address);
  CHECK(second.nodes.at(3).slot == first.nodes.at(2).slot);
  cluster.logins.at(0).count = 0;
  cluster.nodesets.at(0).node_count_static = 3;
  const Plan third = make_plan(cluster, catalogue, &second);
  CHECK(third.nodes.back().ports.at(0).address == "10.0.0.7/16");
}

TEST_CASE("plan: survives a round trip through JSON") {
  cluster::Cluster cluster = cluster::quickstart_cluster(2);
  cluster.controller.accounting = true;
  const Plan plan = make_plan(cluster, cluster::shipped_catalogue());
  const Plan back = plan_from_json(to_json(plan));
  CHECK(to_json(back) == to_json(plan));
  CHECK_FALSE(compare(plan, back).any());
  // Earlier versions wrote one image for all nodes.
  nlohmann::json earlier = to_json(plan);
  earlier["image"] = "trixie-111111111111";
  for (nlohmann::json& node : earlier["nodes"]) node.erase("image");
  CHECK(plan_from_json(earlier).nodes.back().image == "trixie-111111111111");
  CHECK_THROWS_WITH(plan_from_json({{"schema", "slipway/local-plan/2"}}),
                    "another version of slipway wrote it");
}
