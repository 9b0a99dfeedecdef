#include "launcher/node/topology_file.h"

#include <set>

#include "common/file.h"
#include "common/sha256.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::node;

namespace {

using NodesBySet = std::map<std::string, std::vector<std::string>>;
using Hosts = std::map<std::string, std::string>;

std::string conf_of(const NodesBySet& nodes, const Hosts& hosts) {
  const std::string text = tree_conf(topology_of(nodes, hosts));
  return text.substr(text.find('\n') + 1);  // without the comment
}

ClusterFile cluster_with(int nodes) {
  ClusterFile cluster;
  cluster.cluster = "c";
  cluster.nodesets["gpu"].static_count = nodes - 1;
  cluster.nodesets["gpu"].dynamic_count = 1;
  return cluster;
}

struct TopologyFiles {
  TemporaryDirectory folder;
  TopologyPlaces places{folder.path(), folder / "hosts.json"};

  TopologyFiles(const std::string& plugin, const std::string& topology) {
    write_file(folder / "slurm.conf", "TopologyPlugin=" + plugin + "\n");
    write_file(folder / "topology.conf", topology);
  }
  void hosts(const std::string& json) const { write_file(places.hosts, json); }
};

}  // namespace

TEST_CASE("topology file: hostlists have ranges of names that differ in their number") {
  CHECK(hostlist_of({"n-3", "n-0", "n-1", "n-2", "n-7", "m-1"}) == "m-1,n-[0-3,7]");
  CHECK(hostlist_of({"n-10", "n-9"}) == "n-[9-10]");
  CHECK(hostlist_of({"n-01", "host"}) == "n-01,host");
  CHECK(hostlist_of({}).empty());
}

TEST_CASE("topology file: a switch for each place of machines, and one for nodes without") {
  CHECK(conf_of({{"gpu", {"c-gpu-0", "c-gpu-1", "c-gpu-2", "c-gpu-3", "c-gpu-4"}},
                 {"cpu", {"c-cpu-0"}}},
                {{"c-gpu-0", "/b1/r1/h1"},
                 {"c-gpu-1", "/b1/r2/h2"},
                 {"c-gpu-2", "/b1/r1/h3"},
                 {"c-gpu-3", "/b2/r1/h4"},
                 {"c-other-0", "/b9/r9/h9"}}) ==
        "SwitchName=cpu Nodes=c-cpu-0\n"
        "SwitchName=gpu Nodes=c-gpu-4\n"
        "SwitchName=b1 Switches=b1.r1,b1.r2\n"
        "SwitchName=b1.r1 Nodes=c-gpu-[0,2]\n"
        "SwitchName=b1.r2 Nodes=c-gpu-1\n"
        "SwitchName=b2 Switches=b2.r1\n"
        "SwitchName=b2.r1 Nodes=c-gpu-3\n"
        "SwitchName=slipway-root Switches=cpu,gpu,b1,b2\n");
}

TEST_CASE("topology file: paths may be deeper, as of newer machines, or of different depth") {
  CHECK(conf_of({{"gpu", {"c-gpu-0", "c-gpu-1"}}},
                {{"c-gpu-0", "cl/b1/s1/h1"}, {"c-gpu-1", "/cl/b1/h2"}}) ==
        "SwitchName=cl Switches=cl.b1\n"
        "SwitchName=cl.b1 Switches=cl.b1.s1,cl.b1.nodes\n"
        "SwitchName=cl.b1.nodes Nodes=c-gpu-1\n"
        "SwitchName=cl.b1.s1 Nodes=c-gpu-0\n"
        "SwitchName=slipway-root Switches=cl\n");
}

TEST_CASE("topology file: names are shorter than the 64 characters that Slurm allows") {
  const std::string cluster = "4a5b6c7d8e9f4a5b6c7d8e9f4a5b6c7d";
  const std::string rack = "0f1e2d3c4b5a0f1e2d3c4b5a0f1e2d3c";
  const std::map<std::string, std::string> hosts = {
      {"c-gpu-0", "/" + cluster + "/" + rack + "/" + rack},
      {"c-gpu-1", "/" + cluster + "/" + rack + "0/" + rack},
      {"c-gpu-2", "/" + cluster + "/" + rack + "/" + cluster + "/" + rack},
      {"c-gpu-3", "/" + cluster + "/a/b/c/d/e/f/g/" + std::string(128, 'x') + "/" + rack}};
  const NodesBySet nodes = {{"gpu", {"c-gpu-0", "c-gpu-1", "c-gpu-2", "c-gpu-3"}}};
  std::set<std::string> names;
  size_t on_switches = 0;
  for (const Topology::Switch& one : topology_of(nodes, hosts).switches) {
    CHECK(one.name.size() < 64);
    CHECK(names.insert(one.name).second);
    on_switches += one.nodes.size();
  }
  CHECK(on_switches == 4);
  CHECK(names.count(cluster) == 1);
  CHECK(names.count("4a5b6c7d.0f1e2d3c." + sha256(cluster + "." + rack).substr(0, 12)) == 1);
  for (const Block& block : blocks_of(nodes, hosts, 1)) CHECK(block.name.size() < 64);
  CHECK(blocks_of(nodes, hosts, 1).size() == 4);
}

TEST_CASE("topology file: every node is on exactly one switch, whatever the paths say") {
  const NodesBySet nodes = {{"gpu", {"c-gpu-0", "c-gpu-1", "c-gpu-2", "c-gpu-3", "c-gpu-4"}}};
  const Topology topology = topology_of(nodes, {{"c-gpu-0", "/a b/r/h"},
                                                {"c-gpu-1", "//h"},
                                                {"c-gpu-2", "h"},
                                                {"c-gpu-3", "/x\nSwitchName=y/r/h"},
                                                {"c-gpu-4", ""}});
  REQUIRE(topology.switches.size() == 2);
  CHECK(topology.switches[0].nodes == nodes.at("gpu"));
}

TEST_CASE("topology file: machines of one NVLink domain are a block") {
  const auto blocks =
      blocks_of({{"gpu", {"c-gpu-0", "c-gpu-1", "c-gpu-2", "c-gpu-3", "c-gpu-4"}}},
                {{"c-gpu-0", "/b/s2/h"}, {"c-gpu-2", "/b/s1/h"}, {"c-gpu-1", "/b/s2/i"}}, 2);
  CHECK(
      block_yaml(blocks, 2).ends_with("    block_sizes:\n"
                                      "      - 2\n"
                                      "    blocks:\n"
                                      "      - block: gpu\n"
                                      "        nodes: c-gpu-[3-4]\n"
                                      "      - block: b.s1\n"
                                      "        nodes: c-gpu-2\n"
                                      "      - block: b.s2\n"
                                      "        nodes: c-gpu-[0-1]\n"));
}

TEST_CASE("topology file: written when machines have a place, and again only if one changes") {
  const TopologyFiles f("topology/tree", "SwitchName=gpu Nodes=c-gpu-[0-2]\n");
  const ClusterFile cluster = cluster_with(3);
  CHECK_FALSE(update_topology(cluster, {24, 11, 5}, f.places));
  f.hosts(R"({"c-gpu-0": "/b/r/h", "c-gpu-1": 7})");
  CHECK(update_topology(cluster, {24, 11, 5}, f.places));
  CHECK_FALSE(update_topology(cluster, {24, 11, 5}, f.places));
  const std::string written = read_file(f.folder / "topology.conf");
  CHECK_THAT(written, ContainsSubstring("SwitchName=gpu Nodes=c-gpu-[1-2]\n"));
  CHECK(is_from_machines(written));
  CHECK_FALSE(is_from_machines("SwitchName=gpu Nodes=c-gpu-[0-2]\n"));
  f.hosts(R"({"c-gpu-0": "/b/r/h", "c-gpu-1": "/b/r/i"})");
  CHECK(update_topology(cluster, {24, 11, 5}, f.places));
  f.hosts("{");
  CHECK_FALSE(update_topology(cluster, {24, 11, 5}, f.places));
}

TEST_CASE("topology file: blocks follow the machines where Slurm has blocks of different sizes") {
  const TopologyFiles f("topology/block", "BlockName=gpu-0 Nodes=c-gpu-[0-1]\nBlockSizes=2\n");
  f.hosts(R"({"c-gpu-0": "/b/r/h", "c-gpu-2": "/b/r/i"})");
  CHECK_FALSE(update_topology(cluster_with(3), {24, 11, 5}, f.places));
  CHECK(update_topology(cluster_with(3), {25, 5, 0}, f.places));
  CHECK_THAT(read_file(f.folder / "topology.yaml"),
             ContainsSubstring("- block: b.r\n        nodes: c-gpu-[0,2]\n"));
  CHECK(read_file(f.folder / "topology.conf").starts_with("BlockName"));
}

TEST_CASE("topology file: another plugin's topology is left alone") {
  const TopologyFiles f("topology/flat", "");
  f.hosts(R"({"c-gpu-0": "/b/r/h"})");
  CHECK_FALSE(update_topology(cluster_with(3), {25, 5, 0}, f.places));
  CHECK(read_file(f.folder / "topology.conf").empty());
}
