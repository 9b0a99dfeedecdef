#include "launcher/cluster/slurm_conf.h"

#include <algorithm>
#include <cstdlib>

#include "common/file.h"
#include "common/text.h"
#include "launcher/cluster/slurm_nodes.h"
#include "tests/unit/catch.h"
#include "tests/unit/cluster/quickstart.h"

using namespace slipway::cluster;

namespace {

std::map<std::string, std::string> files_of(const Cluster& cluster,
                                            const SlurmSite& site = local_slurm_site()) {
  return slurm_files(cluster, shipped_catalogue(), site);
}

// The text must equal tests/golden/slurm/<name>, with VERSION in place of our version;
// SLIPWAY_ACCEPT=1 rewrites it.
void check_golden(const std::string& name, std::string text) {
  const std::string version = "slipway " SLIPWAY_VERSION " ";
  REQUIRE(text.find(version) != text.npos);
  text.replace(text.find(version), version.size(), "slipway VERSION ");
  const std::filesystem::path path = source_root / "tests/golden/slurm" / name;
  const char* accept = std::getenv("SLIPWAY_ACCEPT");
  if (accept != nullptr && std::string(accept) == "1") slipway::write_file(path, text);
  CHECK(text == slipway::read_file(path));
}

// The lines of a file that begin with one of the keys, such as those for nodes and partitions.
std::string lines_of(const std::string& text, const std::vector<std::string>& keys) {
  std::string out;
  for (const std::string& line : slipway::split(text, '\n')) {
    for (const std::string& key : keys) {
      if (line.starts_with(key + "=")) out += line + "\n";
    }
  }
  return out;
}

std::string nodes_and_partitions(const std::map<std::string, std::string>& files) {
  return lines_of(files.at("slurm.conf"),
                  {"NodeName", "NodeSet", "PartitionName", "SuspendExcNodes"});
}

std::string node_line_with(const std::map<std::string, std::string>& node_conf) {
  Cluster cluster = quickstart_cluster();
  cluster.nodesets[0].node_conf = node_conf;
  return lines_of(files_of(cluster).at("slurm.conf"), {"NodeName"});
}

std::string gres_with(const std::string& gres) {
  Cluster cluster = quickstart_cluster();
  cluster.nodesets[0].node_conf = {{"Gres", gres}};
  return lines_of(files_of(cluster).at("gres.conf"), {"NodeName"});
}

}  // namespace

TEST_CASE("slurm files: the quickstart cluster's, complete") {
  const auto files = files_of(quickstart_cluster());
  REQUIRE(files.size() == 7);
  for (const auto& [name, text] : files) check_golden(name, text);
}

// The plugins of plugstack.conf, in its order.
static std::string plugins_with(const std::string& containers, const SlurmSite& site) {
  Cluster cluster = quickstart_cluster();
  cluster.controller.containers = containers;
  std::string lines;
  for (const std::string& line :
       slipway::split(files_of(cluster, site).at("plugstack.conf"), '\n')) {
    if (!line.starts_with("#") && !line.empty()) lines += line + "\n";
  }
  return lines;
}

TEST_CASE("slurm files: containers come before nccl_env, whose values so hold against an image's") {
  const std::string ours =
      "optional /opt/slipway/lib/slipway/spank/nccl_env.so\n"
      "include /opt/slipway/lib/slipway/spank/*.conf\n";
  for (const SlurmSite& site : {local_slurm_site(), google_slurm_site()}) {
    CHECK(plugins_with("slipway", site) ==
          "include /opt/slipway/lib/slipway/spank/container/*.conf\n" + ours);
    CHECK(plugins_with("none", site) == ours);
  }
  CHECK(plugins_with("pyxis", google_slurm_site()) ==
        "include /etc/slurm/plugstack.conf.d/*.conf\n" + ours);
  CHECK(plugins_with("pyxis", local_slurm_site()) ==
        "include /usr/local/share/pyxis/*.conf\n" + ours);
}

TEST_CASE("slurm files: no line makes a job depend on a plugin that a machine may lack") {
  for (const std::string containers : {"slipway", "pyxis", "none"}) {
    CHECK(plugins_with(containers, google_slurm_site()).find("required") == std::string::npos);
  }
}

TEST_CASE("slurm files: every file begins with its origin") {
  for (const auto& [name, text] : files_of(quickstart_cluster())) {
    CHECK(text.substr(0, text.find('\n')) ==
          "# Written by slipway " SLIPWAY_VERSION
          " for deployment `quickstart` (local). Do not edit; change the blueprint.");
  }
}

TEST_CASE("slurm files: a nodeset is one line with a range, its memory less the system's share") {
  CHECK(nodes_and_partitions(files_of(quickstart_cluster())) ==
        "NodeName=quickstart-a3meganodeset-[0-3] State=UNKNOWN RealMemory=1860368 Boards=1 "
        "SocketsPerBoard=2 CoresPerSocket=52 ThreadsPerCore=2 CPUs=208 Gres=gpu:8\n"
        "NodeSet=a3meganodeset Nodes=quickstart-a3meganodeset-[0-3]\n"
        "PartitionName=a3mega Nodes=a3meganodeset State=UP DefMemPerCPU=8944 Default=YES "
        "OverSubscribe=EXCLUSIVE\n");
}

TEST_CASE("slurm files: a single node has no range") {
  const auto files = files_of(quickstart_cluster(1));
  CHECK_THAT(files.at("slurm.conf"), ContainsSubstring("NodeName=quickstart-a3meganodeset-0 "));
  CHECK_THAT(files.at("gres.conf"),
             ContainsSubstring("NodeName=quickstart-a3meganodeset-0 Name=gpu "));
}

TEST_CASE("slurm files: real memory equals slurm-gcp's for each GPU machine type") {
  const auto memory = [](const std::string& machine_type) {
    Cluster cluster = quickstart_cluster();
    cluster.nodesets[0].machine.machine_type = machine_type;
    return files_of(cluster).at("slurm.conf");
  };
  CHECK_THAT(memory("a3-highgpu-8g"), ContainsSubstring("RealMemory=1860368 "));
  CHECK_THAT(memory("a4-highgpu-8g"), ContainsSubstring("RealMemory=3943792 "));
  CHECK_THAT(memory("a3-ultragpu-8g"), ContainsSubstring("RealMemory=2933888 "));
}

TEST_CASE("slurm files: prologs have a time limit, longer than the transport's daemon needs") {
  const auto timeout = [](const SlurmSite& site, const std::string& machine_type) {
    Cluster cluster = quickstart_cluster();
    cluster.nodesets[0].machine.machine_type = machine_type;
    return lines_of(files_of(cluster, site).at("slurm.conf"), {"PrologEpilogTimeout"});
  };
  CHECK(timeout(local_slurm_site(), "a3-megagpu-8g") == "PrologEpilogTimeout=60\n");
  CHECK(timeout(google_slurm_site(), "n2-standard-4") == "PrologEpilogTimeout=60\n");
  // 120 s for the tcpxo daemon, 30 s for jobs that came first, 5 s to remove leftovers.
  CHECK(timeout(google_slurm_site(), "a3-megagpu-8g") == "PrologEpilogTimeout=180\n");
  // 60 s for the machine type's daemon; its transport has none.
  CHECK(timeout(google_slurm_site(), "a4x-highgpu-4g") == "PrologEpilogTimeout=120\n");
}

TEST_CASE("slurm files: exclusive nodes power down after a job if Slurm can do that") {
  const auto partition = [](const slipway::SlurmVersion& version) {
    Cluster cluster = quickstart_cluster();
    cluster.partitions[0].partition_conf = {{"PowerDownOnIdle", "YES"}};
    SlurmSite site = local_slurm_site(true);
    site.slurm = version;
    return lines_of(files_of(cluster, site).at("slurm.conf"), {"PartitionName"});
  };
  CHECK_THAT(partition({24, 11, 5}), ContainsSubstring(" PowerDownOnIdle=YES"));
  CHECK_THAT(partition({23, 2, 0}), ContainsSubstring(" PowerDownOnIdle=YES"));
  CHECK_THAT(partition({22, 5, 8}), !ContainsSubstring("PowerDownOnIdle"));
}

TEST_CASE("slurm files: without cgroups, a Slurm that can looks for none") {
  const auto plugin = [](const slipway::SlurmVersion& slurm) {
    const SlurmSite site = local_slurm_site(false, 0, slurm);
    return lines_of(files_of(quickstart_cluster(), site).at("cgroup.conf"), {"CgroupPlugin"});
  };
  CHECK(plugin({22, 5, 8}) == "CgroupPlugin=cgroup/v1\n");
  CHECK(plugin({24, 11, 5}) == "CgroupPlugin=disabled\n");
}

TEST_CASE("slurm files: the plugin for a job's own /tmp has the name that this Slurm uses") {
  const auto plugin = [](const slipway::SlurmVersion& slurm) {
    const SlurmSite site = local_slurm_site(false, 0, slurm);
    return lines_of(files_of(quickstart_cluster(), site).at("slurm.conf"),
                    {"JobContainerType", "NamespaceType"});
  };
  CHECK(plugin({25, 5}) == "JobContainerType=job_container/tmpfs\n");
  CHECK(plugin({25, 11}) == "NamespaceType=namespace/tmpfs\n");
}

TEST_CASE("slurm files: node_conf overrides the catalogue, and CPUs follow it") {
  CHECK(node_line_with({{"ThreadsPerCore", "1"}, {"realmemory", "1000"}, {"Weight", "5"}}) ==
        "NodeName=quickstart-a3meganodeset-[0-3] State=UNKNOWN RealMemory=1000 Boards=1 "
        "SocketsPerBoard=2 CoresPerSocket=52 ThreadsPerCore=1 CPUs=104 Gres=gpu:8 Weight=5\n");
  CHECK(node_line_with({{"CPUs", "52"}, {"Gres", ""}}) ==
        "NodeName=quickstart-a3meganodeset-[0-3] State=UNKNOWN RealMemory=1860368 Boards=1 "
        "SocketsPerBoard=2 CoresPerSocket=52 ThreadsPerCore=2 CPUs=52\n");
  CHECK(node_line_with({{"sockets", "1"}}) ==
        "NodeName=quickstart-a3meganodeset-[0-3] State=UNKNOWN RealMemory=1860368 "
        "CoresPerSocket=52 ThreadsPerCore=2 CPUs=104 Gres=gpu:8 sockets=1\n");
}

TEST_CASE(
    "slurm files: memory per CPU is the lowest of the partition's nodesets, and at least 100") {
  Cluster cluster = quickstart_cluster();
  cluster.nodesets.push_back({"cpu", "cpu", {"n2-standard-4", {"network"}, {}}, 2, 0, {}});
  cluster.nodesets.push_back(
      {"tiny", "tiny", {"n2-standard-4", {"network"}, {}}, 1, 0, {{"MemSpecLimit", "15000"}}});
  cluster.partitions = {
      {"p1", "both", {"a3meganodeset", "cpu"}, false, false, {}},
      {"p2", "all", {"a3meganodeset", "cpu", "tiny"}, false, false, {}},
  };
  CHECK(lines_of(files_of(cluster).at("slurm.conf"), {"PartitionName"}) ==
        "PartitionName=both Nodes=a3meganodeset,cpu State=UP DefMemPerCPU=3876\n"
        "PartitionName=all Nodes=a3meganodeset,cpu,tiny State=UP DefMemPerCPU=126\n");
  cluster.nodesets[2].node_conf["MemSpecLimit"] = "16000";
  CHECK_THAT(files_of(cluster).at("slurm.conf"),
             ContainsSubstring("tiny State=UP DefMemPerCPU=100\n"));
}

TEST_CASE(
    "slurm files: partition_conf overrides ours, but nodes that are always on are never "
    "suspended") {
  Cluster cluster = quickstart_cluster();
  cluster.partitions[0].exclusive = false;
  cluster.partitions[0].partition_conf = {{"OverSubscribe", "EXCLUSIVE"}, {"default", "NO"},
                                          {"ResumeTimeout", "900"},       {"SuspendTimeout", "600"},
                                          {"PowerDownOnIdle", "NO"},      {"MaxTime", "1:00:00"}};
  CHECK(lines_of(files_of(cluster).at("slurm.conf"), {"PartitionName"}) ==
        "PartitionName=a3mega Nodes=a3meganodeset State=UP DefMemPerCPU=8944 Default=NO "
        "MaxTime=1:00:00 OverSubscribe=EXCLUSIVE\n");
}

TEST_CASE("slurm files: where nodes are always on, a nodeset without static nodes is left out") {
  Cluster cluster = quickstart_cluster();
  cluster.nodesets.push_back({"burst", "burst", {"n2-standard-4", {"network"}, {}}, 0, 5, {}});
  cluster.partitions.push_back({"p", "burst", {"burst"}, false, true, {}});
  cluster.partitions[0].nodesets.push_back("burst");
  const std::string conf = files_of(cluster).at("slurm.conf");
  CHECK_THAT(conf, ContainsSubstring("\n# Nodeset burst has no nodes.\n"));
  CHECK(lines_of(conf, {"NodeSet", "PartitionName"}) ==
        "NodeSet=a3meganodeset Nodes=quickstart-a3meganodeset-[0-3]\n"
        "PartitionName=a3mega Nodes=a3meganodeset State=UP DefMemPerCPU=8944 Default=YES "
        "OverSubscribe=EXCLUSIVE\n"
        "PartitionName=burst State=UP OverSubscribe=EXCLUSIVE\n");
}

TEST_CASE("slurm files: on an elastic site, dynamic nodes are listed and static ones excepted") {
  Cluster cluster = quickstart_cluster(2);
  cluster.nodesets[0].node_count_dynamic_max = 6;
  cluster.partitions[0].partition_conf = {{"ResumeTimeout", "900"}};
  SlurmSite site;
  site.slurm = {23, 2};
  site.target = "google";
  site.elastic = true;
  const auto files = files_of(cluster, site);
  CHECK(nodes_and_partitions(files) ==
        "NodeName=quickstart-a3meganodeset-[0-7] State=CLOUD RealMemory=1860368 Boards=1 "
        "SocketsPerBoard=2 CoresPerSocket=52 ThreadsPerCore=2 CPUs=208 Gres=gpu:8\n"
        "NodeSet=a3meganodeset Nodes=quickstart-a3meganodeset-[0-7]\n"
        "SuspendExcNodes=quickstart-a3meganodeset-[0-1]\n"
        "PartitionName=a3mega Nodes=a3meganodeset State=UP DefMemPerCPU=8944 Default=YES "
        "OverSubscribe=EXCLUSIVE SuspendTime=300 SuspendTimeout=120 ResumeTimeout=900\n");
  CHECK_FALSE(files.contains("cgroup.conf"));
}

TEST_CASE("slurm files: on one machine, on-demand nodes have their own line") {
  Cluster cluster = quickstart_cluster(2);
  cluster.nodesets[0].node_count_dynamic_max = 6;
  cluster.partitions[0].partition_conf = {{"SuspendTime", "9"}};
  const auto files = files_of(cluster, local_slurm_site(true));
  CHECK(nodes_and_partitions(files) ==
        "NodeName=quickstart-a3meganodeset-[0-1] State=UNKNOWN RealMemory=1860368 Boards=1 "
        "SocketsPerBoard=2 CoresPerSocket=52 ThreadsPerCore=2 CPUs=208 Gres=gpu:8\n"
        "NodeName=quickstart-a3meganodeset-[2-7] State=CLOUD RealMemory=1860368 Boards=1 "
        "SocketsPerBoard=2 CoresPerSocket=52 ThreadsPerCore=2 CPUs=208 Gres=gpu:8\n"
        "NodeSet=a3meganodeset Nodes=quickstart-a3meganodeset-[0-7]\n"
        "SuspendExcNodes=quickstart-a3meganodeset-[0-1]\n"
        "PartitionName=a3mega Nodes=a3meganodeset State=UP DefMemPerCPU=8944 Default=YES "
        "OverSubscribe=EXCLUSIVE SuspendTime=9 SuspendTimeout=120 ResumeTimeout=300\n");
}

TEST_CASE("slurm files: gres.conf follows the user's Gres") {
  CHECK(gres_with("gpu:2") ==
        "NodeName=quickstart-a3meganodeset-[0-3] Name=gpu File=/dev/nvidia[0-1]\n");
  CHECK(gres_with("gpu:h100:4") ==
        "NodeName=quickstart-a3meganodeset-[0-3] Name=gpu Type=h100 File=/dev/nvidia[0-3]\n");
  CHECK(gres_with("gpu") == "NodeName=quickstart-a3meganodeset-[0-3] Name=gpu File=/dev/nvidia0\n");
  CHECK(gres_with("").empty());
  CHECK_THROWS_WITH(gres_with("gpu:9"),
                    "nodeset `a3meganodeset`: `Gres` asks for 9 GPUs, but a `a3-megagpu-8g` has 8");
}

TEST_CASE("slurm files: what Slurm cannot express is an error with its place") {
  CHECK_THROWS_WITH(files_of(quickstart_cluster(0)), "cluster `quickstart` has no compute node");
  CHECK_THROWS_WITH(node_line_with({{"CPUs", "many"}}),
                    "nodeset `a3meganodeset`: `CPUs` is `many`, expected a whole number");
  CHECK_THROWS_WITH(node_line_with({{"CPUs", "0"}}), "nodeset `a3meganodeset`: `CPUs` is 0");
  CHECK_THROWS_WITH(node_line_with({{"NodeName", "x"}}),
                    "nodeset `a3meganodeset`: `NodeName` cannot be set here");
  Cluster cluster = quickstart_cluster();
  cluster.partitions[0].nodesets = {"a3mega_nodeset"};
  CHECK_THROWS_WITH(files_of(cluster), "partition `a3mega`: there is no nodeset `a3mega_nodeset`");
  cluster.nodesets[0].machine.machine_type = "a4-highgpu-9g";
  CHECK_THROWS_WITH(files_of(cluster),
                    "nodeset `a3meganodeset`: the catalogue has no machine type `a4-highgpu-9g`; "
                    "did you mean `a4-highgpu-8g`?");
}

TEST_CASE("slurm.conf: nodesets with NVLink domains are blocks, padded to the same size") {
  Cluster cluster = quickstart_cluster();
  cluster.nodesets[0].machine.machine_type = "a4x-highgpu-4g";
  cluster.nodesets[0].node_conf.clear();
  cluster.nodesets[0].node_count_static = 18;
  cluster.nodesets[0].node_count_dynamic_max = 3;
  Nodeset debug = cluster.nodesets[0];
  debug.id = debug.name = "debug";
  debug.machine.machine_type = "n2-standard-4";
  cluster.nodesets.push_back(debug);
  cluster.partitions[0].nodesets.push_back("debug");
  const auto files = files_of(cluster, google_slurm_site());
  const std::string name = cluster.nodesets[0].name;
  CHECK(lines_of(files.at("slurm.conf"), {"TopologyPlugin"}) == "TopologyPlugin=topology/block\n");
  CHECK(lines_of(files.at("topology.conf"), {"BlockName", "BlockSizes", "SwitchName"}) ==
        "BlockName=" + name + "-0 Nodes=quickstart-" + name + "-[0-17]\n" + "BlockName=" + name +
            "-1 Nodes=quickstart-" + name +
            "-[18-20],quickstart-nowhere-[0-14]\n"
            "BlockSizes=18\n");
  CHECK(
      files.at("slurm.conf").ends_with("NodeName=quickstart-nowhere-[0-14] State=FUTURE CPUs=1\n"));
}

TEST_CASE("slurm.conf: a local cluster has the cloud's topology, as far as its Slurm has it") {
  Cluster cluster = quickstart_cluster();
  const auto topology = [&](const SlurmSite& site) {
    const auto files = files_of(cluster, site);
    return lines_of(files.at("slurm.conf"), {"TopologyPlugin", "TopologyParam"}) +
           lines_of(files.at("topology.conf"), {"BlockName", "BlockSizes", "SwitchName"});
  };
  CHECK(topology(local_slurm_site()) == topology(google_slurm_site()));
  cluster.nodesets[0].machine.machine_type = "a4x-highgpu-4g";
  cluster.nodesets[0].node_conf.clear();
  SlurmSite local = local_slurm_site();
  local.slurm = {24, 5};
  CHECK(topology(local) == topology(google_slurm_site()));
  CHECK_THAT(topology(local), ContainsSubstring("TopologyPlugin=topology/block"));
  local.slurm = {23, 11};
  CHECK_THAT(topology(local), ContainsSubstring("TopologyPlugin=topology/tree"));
  CHECK_THAT(files_of(cluster, local).at("slurm.conf"),
             ContainsSubstring("neither topology/block nor `sbatch --segment`"));
}

TEST_CASE("slurm.conf: nodes that register themselves have a feature and room") {
  Cluster cluster = quickstart_cluster();
  Nodeset joining;
  joining.id = joining.name = "burst";
  joining.feature = "elastic";
  joining.machine.machine_type = "n2-standard-8";
  cluster.nodesets.push_back(joining);
  cluster.partitions[0].nodesets.push_back("burst");
  const auto files = files_of(cluster, google_slurm_site());
  CHECK(lines_of(files.at("slurm.conf"),
                 {"TopologyPlugin", "TreeWidth", "SlurmctldParameters", "MaxNodeCount"}) ==
        "TreeWidth=65533\nSlurmctldParameters=idle_on_node_suspend\nMaxNodeCount=1004\n");
  CHECK(lines_of(files.at("slurm.conf"), {"NodeSet"}).ends_with("NodeSet=burst Feature=elastic\n"));
  CHECK_FALSE(files.contains("topology.conf"));
  CHECK(joining_node_conf(joining, shipped_catalogue()) ==
        "RealMemory=31408 Boards=1 SocketsPerBoard=1 CoresPerSocket=4 ThreadsPerCore=2 CPUs=8 "
        "Feature=elastic");
  // On this machine nobody starts such nodes.
  CHECK(lines_of(files_of(cluster).at("slurm.conf"), {"NodeSet", "MaxNodeCount"}).find("burst") ==
        std::string::npos);
}

TEST_CASE("slurm.conf: on one machine, Slurm waits longer for clusters of more nodes") {
  const auto value = [](size_t nodes, const std::string& key) -> std::string {
    const SlurmSite site = local_slurm_site(false, nodes);
    const auto found = std::ranges::find(site.settings, key, &SlurmSetting::key);
    return found == site.settings.end() ? "" : found->value;
  };
  CHECK(value(4, "AuthInfo") == "cred_expire=15");
  CHECK(value(64, "AuthInfo") == "cred_expire=15");
  CHECK(value(1000, "AuthInfo") == "cred_expire=234");
  CHECK(value(16384, "AuthInfo") == "cred_expire=300");
  CHECK(value(64, "TCPTimeout").empty());
  CHECK(value(512, "TCPTimeout") == "16");
  const auto timeout = [](size_t nodes) { return local_slurm_site(false, nodes).common; };
  CHECK(timeout(128).empty());
  CHECK(timeout(500) == std::map<std::string, std::string>{{"MessageTimeout", "156"}});
  CHECK(timeout(1000) == std::map<std::string, std::string>{{"MessageTimeout", "300"}});
}

TEST_CASE("slurm.conf: without a plugin for PMIx, srun starts programs without it") {
  SlurmSite site = local_slurm_site();
  const auto with = slurm_files(quickstart_cluster(), shipped_catalogue(), site);
  CHECK_THAT(with.at("slurm.conf"), ContainsSubstring("\nMpiDefault=pmix\n"));
  CHECK(with.contains("mpi.conf"));
  site.has_pmix = false;
  const auto without = slurm_files(quickstart_cluster(), shipped_catalogue(), site);
  CHECK_THAT(without.at("slurm.conf"), !ContainsSubstring("MpiDefault"));
  CHECK_FALSE(without.contains("mpi.conf"));
}
