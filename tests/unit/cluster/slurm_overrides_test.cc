#include "launcher/cluster/slurm_overrides.h"

#include "launcher/cluster/slurm_conf.h"
#include "tests/unit/catch.h"
#include "tests/unit/cluster/quickstart.h"

using namespace slipway::cluster;

namespace {

std::string slurm_conf_with(const Controller& changes) {
  Cluster cluster = quickstart_cluster();
  Controller controller = changes;
  controller.id = cluster.controller.id;
  controller.machine = cluster.controller.machine;
  cluster.controller = controller;
  return slurm_files(cluster, shipped_catalogue(), google_slurm_site()).at("slurm.conf");
}

}  // namespace

TEST_CASE("slurm templates: lines of nodes and placeholders are the cluster's, others are taken") {
  const Template read = read_template(
      "# a site's own\n"
      "MessageTimeout=600  # prologs pull images\n"
      "SchedulerParameters=bf_continue,\\\n"
      "  salloc_wait_nodes\n"
      "AuthType=auth/{auth}\n"
      "{slurmctld_hosts}\n"
      "SlurmdPort=7000\n"
      "JobSubmitPlugins = \"lua\"\n"
      "include cloud.conf\n"
      "NodeName=x CPUs=2\n"
      "word\n",
      fixed_settings);
  CHECK(read.settings ==
        std::map<std::string, std::string>{{"MessageTimeout", "600"},
                                           {"SchedulerParameters", "bf_continue,salloc_wait_nodes"},
                                           {"JobSubmitPlugins", "lua"}});
  CHECK(read.not_used == std::vector<std::string>{"SlurmdPort"});
  CHECK(read.problems ==
        std::vector<std::string>{"`NodeName` follows from the blueprint's nodesets",
                                 "`word` is not KEY=VALUE"});
}

TEST_CASE("slurm overrides: replace a value, extend a list, and add a key") {
  std::vector<SlurmSetting> settings = {{"MessageTimeout", "60", "why"},
                                        {"SchedulerParameters", "bf_interval=30,nohold", ""}};
  override_settings(settings, {{"messagetimeout", "600"},
                               {"SchedulerParameters", "bf_interval=5,defer"},
                               {"SwitchType", "switch/nvidia_imex"}});
  REQUIRE(settings.size() == 3);
  CHECK(settings[0].value == "600");
  CHECK(settings[1].value == "bf_interval=5,defer,nohold");
  CHECK(settings[2].key == "SwitchType");
  CHECK(settings[2].value == "switch/nvidia_imex");
}

TEST_CASE("slurm overrides: slurm.conf follows the blueprint in a cloud, not on this machine") {
  Controller controller;
  controller.slurm_conf = {{"ResumeTimeout", "1200"},
                           {"PrologFlags", "Serial"},
                           {"MessageTimeout", "600"},
                           {"SwitchType", "switch/nvidia_imex"}};
  const std::string conf = slurm_conf_with(controller);
  CHECK_THAT(conf, ContainsSubstring("\nResumeTimeout=1200\n"));
  CHECK_THAT(conf, ContainsSubstring("\nPrologFlags=Serial,Alloc,Contain,DeferBatch\n"));
  CHECK_THAT(conf, ContainsSubstring("\nMessageTimeout=600\n"));
  // Five times MessageTimeout.
  CHECK_THAT(conf, ContainsSubstring("\nUnkillableStepTimeout=3000\n"));
  CHECK_THAT(conf, ContainsSubstring("\nSwitchType=switch/nvidia_imex\n"));
  Cluster local = quickstart_cluster();
  local.controller.slurm_conf = controller.slurm_conf;
  CHECK(slurm_files(local, shipped_catalogue(), local_slurm_site()) ==
        slurm_files(quickstart_cluster(), shipped_catalogue(), local_slurm_site()));
}

TEST_CASE("slurm overrides: auth/slurm replaces munge everywhere") {
  Controller controller;
  controller.slurm_auth = true;
  const std::string conf = slurm_conf_with(controller);
  CHECK_THAT(conf, ContainsSubstring("\nAuthType=auth/slurm\nCredType=cred/slurm\n"));
  CHECK_THAT(conf, !ContainsSubstring("munge"));
}

TEST_CASE("slurm overrides: scripts around jobs have a program and time") {
  Controller controller;
  controller.scripts = {
      {"prolog.d/000-a.sh", "x"}, {"prolog.d/001-b.sh", "y"}, {"task_epilog.d/000-c.sh", "z"}};
  const std::string conf = slurm_conf_with(controller);
  CHECK_THAT(conf, ContainsSubstring("\nProlog=/opt/slipway/libexec/slipway/prolog-scripts\n"));
  CHECK_THAT(conf, ContainsSubstring("\nEpilog=/opt/slipway/libexec/slipway/epilog\n"));
  CHECK_THAT(conf, ContainsSubstring("\nTaskEpilog=/opt/slipway/libexec/slipway/task-epilog\n"));
  CHECK_THAT(conf, !ContainsSubstring("TaskProlog"));
  // 180 s for the transport's daemon, five minutes for each script.
  CHECK_THAT(conf, ContainsSubstring("\nPrologEpilogTimeout=780\n"));
}

TEST_CASE("slurm files: no partition with static nodes powers down what its jobs leave") {
  Cluster cluster = quickstart_cluster(2);
  const auto partition = [&] {
    return slurm_files(cluster, shipped_catalogue(), google_slurm_site()).at("slurm.conf");
  };
  CHECK_THAT(partition(), !ContainsSubstring("PowerDownOnIdle"));
  cluster.nodesets[0].node_count_static = 0;
  cluster.nodesets[0].node_count_dynamic_max = 2;
  CHECK_THAT(partition(), ContainsSubstring("PowerDownOnIdle=YES"));
}

TEST_CASE("slurm files: Slurm powers nodes up even if no partition ever suspends them") {
  Cluster cluster = quickstart_cluster(2);
  cluster.partitions[0].partition_conf = {{"SuspendTime", "INFINITE"}};
  CHECK_THAT(slurm_files(cluster, shipped_catalogue(), google_slurm_site()).at("slurm.conf"),
             ContainsSubstring("\nSuspendTime=300\n"));
}
