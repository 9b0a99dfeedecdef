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

namespace {

// Two replicated jobs, of one and of three jobs.
JobSet driver_and_workers() {
  JobSet set;
  set.name = "train";
  set.subdomain = "net";
  set.jobs.resize(2);
  set.jobs[0].name = "driver";
  set.jobs[1].name = "workers";
  set.jobs[1].replicas = 3;
  set.coordinator = "train-driver-0-0.net";
  return set;
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("pods: variables are texts, fields, secrets and earlier variables") {
  JobSet set = driver_and_workers();
  set.secrets["train-key"]["key"] = "secret";
  Container container;
  container.environment = {
      {"JOBSET_NAME", "", "metadata.labels['jobset.sigs.k8s.io/jobset-name']", "", ""},
      {"RESTARTS", "", "metadata.labels['jobset.sigs.k8s.io/restart-attempt']", "", ""},
      {"KEY", "", "", "train-key", "key"},
      {"NAMES", "$(JOBSET_NAME)/$(KEY)", "", "", ""},
      {"NCCL_SOCKET_IFNAME", "eth0,eth10:1", "", "", ""}};
  Pod pod;
  pod.index = 3;
  pod.restarts = 2;
  pod.interfaces = {{"eth0", "enp0s12"}, {"eth1", "enp6s0"}};
  const auto found = environment_of(container, set, set.jobs[0], pod);
  CHECK(found.at("JOBSET_NAME") == "train");
  CHECK(found.at("RESTARTS") == "2");
  CHECK(found.at("NAMES") == "train/secret");
  CHECK(found.at("JOB_COMPLETION_INDEX") == "3");
  CHECK(found.at("NCCL_SOCKET_IFNAME") == "enp0s12,eth10:1");
}

TEST_CASE("pods: fields count jobs in their replicated job, group and JobSet") {
  JobSet set = driver_and_workers();
  set.jobs[1].labels["role"] = "worker";
  Pod pod;
  pod.name = "train-workers-2-0";
  pod.node = "n-1";
  pod.replica = 2;
  pod.job_restarts = 1;
  const auto found = fields_of(set, set.jobs[1], pod);
  const auto label = [&](const std::string& name) {
    return found.at("metadata.labels['jobset.sigs.k8s.io/" + name + "']");
  };
  CHECK(label("job-index") == "2");
  CHECK(label("job-global-index") == "3");
  CHECK(label("global-replicas") == "4");
  CHECK(label("replicatedjob-replicas") == "3");
  CHECK(label("job-group-index") == "3");
  CHECK(label("coordinator") == "train-driver-0-0.net");
  CHECK(label("job-restart-attempt") == "1");
  CHECK(found.at("metadata.annotations['jobset.sigs.k8s.io/job-index']") == "2");
  CHECK(found.at("metadata.labels['role']") == "worker");
  CHECK(found.at("metadata.labels['batch.kubernetes.io/job-name']") == "train-workers-2");
  CHECK(found.at("metadata.name") == "train-workers-2-0");
  CHECK(found.at("spec.nodeName") == "n-1");
  set.jobs[1].group = "own";
  CHECK(fields_of(set, set.jobs[1], pod)
            .at("metadata.labels['jobset.sigs.k8s.io/job-group-index']") == "2");
}

TEST_CASE("pods: a pod knows the others by names in the subdomain, and itself by its own") {
  JobSet set = driver_and_workers();
  set.space = "ml";
  Pod pod;
  pod.name = "train-driver-0-0";
  pod.hosts = {{"train-driver-0-0", "n-0"}, {"train-workers-0-0", "n-1"}};
  const std::string script = pod_script(set, set.jobs[0], pod);
  CHECK(script.find("train-driver-0-0.net.ml.svc.cluster.local train-driver-0-0\"") != script.npos);
  CHECK(script.find(" train-workers-0-0.net train-workers-0-0.net.ml ") != script.npos);
  CHECK(script.find(" train-workers-0-0\"") == script.npos);
  set.subdomain.clear();  // enableDNSHostnames: false
  CHECK(pod_script(set, set.jobs[0], pod).find("train-workers-0-0") == std::string::npos);
}

TEST_CASE("pods: containers of a pod run beside each other") {
  JobSet set = driver_and_workers();
  Container one, two;
  one.name = "one";
  two.name = "two";
  one.command = two.command = {"true"};
  set.jobs[0].containers = {one, two};
  Pod pod;
  pod.name = "train-driver-0-0";
  pod.mark = "mark-1";
  std::string script = pod_script(set, set.jobs[0], pod);
  CHECK(count(script, "with_others one &\n") == 1);
  CHECK(count(script, "with_others two &\n") == 1);
  CHECK(script.find("with_others two") < script.find("$mark ready\" >&2\n"));
  CHECK(script.find("\nagain=\n") != script.npos);
  set.jobs[0].restarts_containers = true;
  script = pod_script(set, set.jobs[0], pod);
  CHECK(script.find("\nagain=yes\n") != script.npos);
}

TEST_CASE("pods: a script has the files and mounts of its volumes") {
  JobSet set;
  set.name = "t";
  set.config_maps["t-script"] = {{"closed", "one\n"}, {"open", "END_OF_FILE\ntwo"}};
  ReplicatedJob job;
  job.volumes = {{"job", Volume::Kind::config_map, "t-script"},
                 {"home", Volume::Kind::claim, "homefs"},
                 {"sys", Volume::Kind::host, "/sys"}};
  Container tasks;
  tasks.name = "tasks";
  tasks.command = {"bash", "it's"};
  tasks.mounts = {{"job", "/slipway/job", "", false},
                  {"home", "/data", "sets", true},
                  {"sys", "/hostsysfs", "", false}};
  job.containers = {tasks};
  Pod pod;
  pod.name = "t-node-0-0";
  pod.claims = {{"homefs", "/home"}};
  const std::string script = pod_script(set, job, pod);
  CHECK(script.find("cat >\"$pod\"/volumes/job/closed <<'END_OF_FILE'\none\nEND_OF_FILE\n") !=
        script.npos);
  CHECK(script.find("head -c -1 >\"$pod\"/volumes/job/open <<'END_OF_FILE_'\nEND_OF_FILE\ntwo\n"
                    "END_OF_FILE_\n") != script.npos);
  CHECK(script.find("bind \"$pod\"/volumes/job /slipway/job\n") != script.npos);
  CHECK(script.find("bind /home/sets /data ro\n") != script.npos);
  CHECK(script.find("bind /sys /hostsysfs\n") != script.npos);
  CHECK(script.find("  bash \\\n  'it'\\''s'\n") != script.npos);
}
