// Tests of what a container of a pod sees.
#include "launcher/pods/pod_script.h"

#include "tests/unit/catch.h"

using namespace slipway::pods;

TEST_CASE("pods: $(NAME) is expanded as Kubernetes does it") {
  const std::map<std::string, std::string> known = {{"A", "1"}, {"B_C", "$(A)"}};
  CHECK(expand("$(A) $(B_C) $(D) $A ${A}", known) == "1 $(A) $(D) $A ${A}");
  CHECK(expand("$$(A) $$$(A) $$$$ $", known) == "$(A) $1 $$ $");
  CHECK(expand("$(A", known) == "$(A");
}

TEST_CASE("pods: variables are texts, labels, secrets and earlier variables") {
  JobSet set;
  set.name = "train";
  set.job = "node";
  set.secrets["train-key"]["key"] = "secret";
  Container container;
  container.environment = {{"JOBSET_NAME", "", "jobset.sigs.k8s.io/jobset-name", "", ""},
                           {"RESTARTS", "", "jobset.sigs.k8s.io/restart-attempt", "", ""},
                           {"KEY", "", "", "train-key", "key"},
                           {"NAMES", "$(JOBSET_NAME)/$(KEY)", "", "", ""},
                           {"NCCL_SOCKET_IFNAME", "eth0,eth10:1", "", "", ""}};
  Pod pod;
  pod.index = 3;
  pod.restarts = 2;
  pod.interfaces = {{"eth0", "enp0s12"}, {"eth1", "enp6s0"}};
  const auto found = environment_of(container, set, pod);
  CHECK(found.at("JOBSET_NAME") == "train");
  CHECK(found.at("RESTARTS") == "2");
  CHECK(found.at("NAMES") == "train/secret");
  CHECK(found.at("JOB_COMPLETION_INDEX") == "3");
  CHECK(found.at("NCCL_SOCKET_IFNAME") == "enp0s12,eth10:1");
}

TEST_CASE("pods: a script has the files and mounts of its volumes") {
  JobSet set;
  set.name = "t";
  set.config_maps["t-script"] = {{"closed", "one\n"}, {"open", "END_OF_FILE\ntwo"}};
  set.volumes = {{"job", Volume::Kind::config_map, "t-script"},
                 {"home", Volume::Kind::claim, "homefs"},
                 {"sys", Volume::Kind::host, "/sys"}};
  Container tasks;
  tasks.name = "tasks";
  tasks.command = {"bash", "it's"};
  tasks.mounts = {{"job", "/slipway/job", "", false},
                  {"home", "/data", "sets", true},
                  {"sys", "/hostsysfs", "", false}};
  set.containers = {tasks};
  Pod pod;
  pod.name = "t-node-0-0";
  pod.claims = {{"homefs", "/home"}};
  const std::string script = pod_script(set, pod);
  CHECK(script.find("cat >\"$pod\"/volumes/job/closed <<'END_OF_FILE'\none\nEND_OF_FILE\n") !=
        script.npos);
  CHECK(script.find("head -c -1 >\"$pod\"/volumes/job/open <<'END_OF_FILE_'\nEND_OF_FILE\ntwo\n"
                    "END_OF_FILE_\n") != script.npos);
  CHECK(script.find("bind \"$pod\"/volumes/job /slipway/job\n") != script.npos);
  CHECK(script.find("bind /home/sets /data ro\n") != script.npos);
  CHECK(script.find("bind /sys /hostsysfs\n") != script.npos);
  CHECK(script.find("  bash \\\n  'it'\\''s'\n") != script.npos);
}
