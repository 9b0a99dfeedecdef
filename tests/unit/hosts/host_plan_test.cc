// Tests of the plan for machines that exist, from what they say about themselves.
#include "launcher/hosts/host_plan.h"

#include "common/error.h"
#include "tests/unit/catch.h"
#include "tests/unit/cluster/quickstart.h"

using namespace slipway;
using namespace slipway::hosts;

namespace {

// A controller and compute nodes gpu1 to gpuN.
struct Lab {
  explicit Lab(int count) {
    cluster.deployment = cluster.name = "lab";
    cluster.controller.id = "controller";
    cluster.controller.hosts = {{"head", "head.example.org"}};
    cluster::Nodeset nodeset;
    nodeset.id = nodeset.name = "nodes";
    for (int i = 1; i <= count; ++i) {
      const std::string name = "gpu" + std::to_string(i);
      nodeset.hosts.push_back({name, name});
      HostFacts facts = common();
      facts.node_line = "NodeName=" + name +
                        " CPUs=8 Boards=1 SocketsPerBoard=2 CoresPerSocket=2 ThreadsPerCore=2 "
                        "RealMemory=" +
                        std::to_string(64'000 - i);
      facts.profile.gpus = {8, "nvidia-h100-80gb", {}};
      answers[name] = facts;
    }
    nodeset.node_count_static = count;
    cluster.nodesets = {nodeset};
    cluster.partitions = {{"gpu", "gpu", {"nodes"}, true, false, {}}};
    answers["head"] = common();
  }

  static HostFacts common() {
    HostFacts facts;
    facts.slurm = {24, 11, 5};
    facts.has_pmix = facts.has_cgroups = true;
    facts.programs = "/opt/slipway/libexec/slipway";
    facts.plugins = "/opt/slipway/lib/slipway/spank";
    facts.profile.transport.name = "socket";
    return facts;
  }

  HostPlan plan() const {
    return plan_hosts(cluster, cluster::shipped_catalogue(),
                      cluster::load_slurm_releases(TEST_SOURCE_ROOT "/blueprints/catalogue"),
                      answers);
  }
  std::string slurm_conf() const { return plan().slurm_files.at("slurm.conf"); }

  cluster::Cluster cluster;
  std::map<std::string, HostFacts> answers;
};

}  // namespace

TEST_CASE("host plan: slurm.conf has what the machines say, and the least of their memory") {
  const std::string conf = Lab(3).slurm_conf();
  CHECK_THAT(conf, ContainsSubstring("SlurmctldHost=head(head.example.org)\n"));
  CHECK_THAT(conf, ContainsSubstring("NodeName=gpu[1-3] "));
  CHECK_THAT(conf,
             ContainsSubstring(" RealMemory=63261 Boards=1 SocketsPerBoard=2 CoresPerSocket=2 "
                               "ThreadsPerCore=2 CPUs=8 Gres=gpu:8"));
  CHECK_THAT(conf, ContainsSubstring("ProctrackType=proctrack/cgroup\n"));
  CHECK_THAT(conf, ContainsSubstring("HealthCheckProgram=/opt/slipway/libexec/slipway/health\n"));
}

TEST_CASE("host plan: a machine with seven GPUs is named, and does not decide") {
  Lab lab(3);
  lab.answers["gpu2"].profile.gpus.count = 7;
  const HostPlan plan = lab.plan();
  CHECK_THAT(plan.slurm_files.at("slurm.conf"), ContainsSubstring("Gres=gpu:8"));
  REQUIRE(plan.notes.size() == 1);
  CHECK_THAT(plan.notes[0],
             ContainsSubstring("gpu2: 2 × 2 × 2 CPUs and 7 GPUs of nvidia-h100-80gb"));
}

TEST_CASE("host plan: a machine that is silent keeps its place") {
  Lab lab(3);
  lab.answers.erase("gpu3");
  CHECK_THAT(lab.slurm_conf(), ContainsSubstring("NodeName=gpu[1-3] "));
  lab.answers.erase("gpu1");
  lab.answers.erase("gpu2");
  CHECK_THROWS_WITH(lab.plan(), ContainsSubstring("no machine of `nodes` has answered"));
  lab.answers.erase("head");
  CHECK_THROWS_WITH(lab.plan(), ContainsSubstring("the controller has not answered"));
}

TEST_CASE("host plan: addresses follow their names, whatever their order") {
  Lab lab(3);
  lab.cluster.nodesets[0].hosts = {{"gpu3", "10.0.0.3"}, {"gpu1", "10.0.0.1"}, {"gpu2", "gpu2"}};
  CHECK_THAT(lab.slurm_conf(),
             ContainsSubstring("NodeName=gpu3,gpu1,gpu2 NodeAddr=10.0.0.3,10.0.0.1,gpu2 "));
}

TEST_CASE("host plan: one machine without cgroups or PMIx decides for all") {
  Lab lab(2);
  lab.answers["gpu2"].has_cgroups = lab.answers["gpu2"].has_pmix = false;
  const HostPlan plan = lab.plan();
  CHECK_THAT(plan.slurm_files.at("slurm.conf"),
             ContainsSubstring("ProctrackType=proctrack/linuxproc\n"));
  CHECK_THAT(plan.slurm_files.at("slurm.conf"), !ContainsSubstring("MpiDefault"));
  CHECK(!plan.slurm_files.contains("mpi.conf"));
}

TEST_CASE("host plan: machines that cannot be one cluster are refused") {
  Lab newer(2);
  newer.answers["gpu1"].slurm = {25, 5, 0};
  CHECK_THROWS_WITH(newer.plan(),
                    ContainsSubstring("gpu1 has Slurm 25.05.0, which is newer than the "
                                      "controller's 24.11.5"));
  Lab older(2);
  older.answers["gpu1"].slurm = {22, 5, 8};
  CHECK_THROWS_WITH(
      older.plan(),
      ContainsSubstring("gpu1: Slurm 24.11 works with 23.02 and newer, and this is 22.05"));
  Lab elsewhere(2);
  elsewhere.answers["gpu2"].programs = "/usr/libexec/slipway";
  CHECK_THROWS_WITH(elsewhere.plan(),
                    ContainsSubstring("Slipway is in /usr/libexec/slipway on gpu2"));
}

TEST_CASE("host plan: machines with another Slipway are named") {
  Lab lab(2);
  lab.answers["gpu2"].version = "0.0.9";
  CHECK(lab.plan().notes ==
        std::vector<std::string>{"gpu2: Slipway 0.0.9, and the controller has "});
}

TEST_CASE("host plan: facts survive their way through ssh") {
  HostFacts facts = Lab(1).answers.at("gpu1");
  facts.version = "0.1.0";
  facts.host_name = "gpu1";
  facts.profile.node = "gpu1";
  facts.profile.role = "compute";
  facts.profile.cluster = facts.profile.deployment = "lab";
  facts.profile.target = "hosts";
  facts.profile.machine_type = "dgx-h100";
  facts.warnings = {"one"};
  const HostFacts read = parse_host_facts(to_json(facts));
  CHECK(read.slurm == facts.slurm);
  CHECK(read.node_line == facts.node_line);
  CHECK(read.profile.machine_type == "dgx-h100");
  CHECK(read.warnings == facts.warnings);
  CHECK_THROWS_AS(parse_host_facts("{}"), Error);
}
