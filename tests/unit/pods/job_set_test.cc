// Tests of reading manifests for `slipway job run`.
#include "launcher/pods/job_set.h"

#include <fstream>

#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::pods;

namespace {

const std::string manifest = R"(apiVersion: v1
kind: ConfigMap
metadata: {name: t-script}
data:
  script: |
    echo ${HOME} $(hostname)
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: t
spec:
  failurePolicy:
    maxRestarts: 3
    rules:
    - {name: late, action: FailJobSet, onJobFailureReasons: [DeadlineExceeded]}
  replicatedJobs:
  - name: node
    replicas: 2
    template:
      spec:
        completions: 4
        parallelism: 4
        completionMode: Indexed
        backoffLimit: 0
        template:
          metadata:
            annotations:
              networking.gke.io/interfaces: |
                [{"interfaceName": "eth0", "network": "default"}, {"interfaceName": "eth1", "network": "vpc1"}]
          spec:
            restartPolicy: Never
            initContainers:
            - {name: daemon, image: a, restartPolicy: Always, command: [sleep, "9"]}
            containers:
            - name: tasks
              image: b
              command: [bash]
              args: ["-c", "true"]
              env: [{name: A, value: "1"}]
              resources: {limits: {nvidia.com/gpu: 8}}
              volumeMounts: [{name: job, mountPath: /slipway/job}]
            volumes: [{name: job, configMap: {name: t-script, defaultMode: 365}}]
)";

const std::string two_jobs = R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: t}
spec:
  network: {subdomain: net}
  coordinator: {replicatedJob: driver}
  successPolicy: {operator: Any, targetReplicatedJobs: [driver]}
  failurePolicy: {maxRestarts: 1, rules: [{name: one, action: RestartJob, targetReplicatedJobs: [workers]}]}
  replicatedJobs:
  - name: driver
    template:
      spec:
        template:
          spec:
            restartPolicy: Never
            containers:
            - {name: one, image: a, command: [sh], env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}
  - name: workers
    dependsOn: [{name: driver, status: Complete}]
    template:
      spec:
        completions: 4
        template:
          spec:
            restartPolicy: OnFailure
            containers:
            - {name: one, image: a, command: [sh]}
            - {name: two, image: b, command: [sh]}
)";

struct Read {
  explicit Read(const std::string& text) : diagnostics(sources) {
    const auto file = folder.path() / "m.yaml";
    std::ofstream(file) << text;
    set = read_job_set(file, TEST_SOURCE_ROOT "/blueprints/catalogue", sources, diagnostics);
  }
  TemporaryDirectory folder;
  source::Sources sources;
  source::Diagnostics diagnostics;
  JobSet set;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("pods: a manifest is read with its texts unchanged") {
  const Read read(manifest);
  CHECK(render(read.diagnostics) == "");
  CHECK(read.set.config_maps.at("t-script").at("script") == "echo ${HOME} $(hostname)\n");
  CHECK(read.set.max_restarts == 3);
  CHECK(read.set.subdomain == "t");
  REQUIRE(read.set.jobs.size() == 1);
  const ReplicatedJob& job = read.set.jobs[0];
  CHECK(job.pods == 4);
  CHECK(job.replicas == 2);
  CHECK(job.gpus() == 8);
  CHECK(job.interfaces == std::vector<std::string>{"eth0", "eth1"});
  CHECK(job.init.at(0).is_sidecar);
  CHECK(job.containers.at(0).command == std::vector<std::string>{"bash", "-c", "true"});
}

TEST_CASE("pods: several replicated jobs are read with their order, policies and names") {
  const Read read(two_jobs);
  CHECK(render(read.diagnostics) == "");
  CHECK(read.set.subdomain == "net");
  CHECK(read.set.coordinator == "t-driver-0-0.net");
  CHECK(read.set.success_targets == std::vector<std::string>{"driver"});
  CHECK(read.set.any_succeeds);
  CHECK(read.set.failure_rules.at(0).targets == std::vector<std::string>{"workers"});
  REQUIRE(read.set.jobs.size() == 2);
  const ReplicatedJob& workers = read.set.jobs[1];
  REQUIRE(workers.depends_on.size() == 1);
  CHECK(workers.depends_on[0].job == "driver");
  CHECK(workers.depends_on[0].completed);
  CHECK(workers.containers.size() == 2);
  CHECK(workers.restarts_containers);
  // What Kubernetes fills in.
  CHECK(read.set.jobs[0].pods == 1);
  CHECK(read.set.jobs[0].retries == 6);
  CHECK(workers.pods == 4);
  CHECK(workers.pods_at_once == 1);
}

TEST_CASE("pods: InOrder makes each replicated job wait for the one before it") {
  const std::string in_order =
      replaced(two_jobs, "    dependsOn: [{name: driver, status: Complete}]\n", "");
  const Read read(
      replaced(in_order, "spec:\n", "spec:\n  startupPolicy: {startupPolicyOrder: InOrder}\n"));
  CHECK(render(read.diagnostics) == "");
  REQUIRE(read.set.jobs.at(1).depends_on.size() == 1);
  CHECK(read.set.jobs[1].depends_on[0].job == "driver");
  CHECK_FALSE(read.set.jobs[1].depends_on[0].completed);
  const Read both(
      replaced(two_jobs, "spec:\n", "spec:\n  startupPolicy: {startupPolicyOrder: InOrder}\n"));
  CHECK(render(both.diagnostics)
            .find("`dependsOn` cannot be used beside the startup policy `InOrder`") !=
        std::string::npos);
}

TEST_CASE("pods: what the interpreter would do differently is refused") {
  const auto refused = [](const std::string& from, const std::string& to) {
    return render(Read(replaced(two_jobs, from, to)).diagnostics);
  };
  const std::string in_place =
      replaced(manifest, "maxRestarts: 3", "maxRestarts: 3\n    restartStrategy: InPlaceRestart");
  CHECK(render(Read(replaced(in_place, "backoffLimit: 0", "backoffLimit: 2147483647")).diagnostics)
            .find("does not restart pods in place") != std::string::npos);
  CHECK(refused("completions: 4", "completions: 4\n        completionMode: NonIndexed")
            .find("whose pods have an index") != std::string::npos);
  CHECK(refused("fieldPath: metadata.name", "fieldPath: status.podIP")
            .find("does not know the field `status.podIP` of pods") != std::string::npos);
  CHECK(refused("image: b, command: [sh]", "image: b")
            .find("does not know what the image of `two` starts") != std::string::npos);
  CHECK(
      refused("restartPolicy: OnFailure", "restartPolicy: Always").find("`Never` or `OnFailure`") !=
      std::string::npos);
}

TEST_CASE("pods: what the interpreter does not know is an error at its line") {
  const Read read(replaced(manifest, "            restartPolicy: Never\n",
                           "            restartPolicy: Never\n            hostPID: true\n"));
  CHECK(read.diagnostics.errors() == 1);
  const std::string text = render(read.diagnostics);
  CHECK(text.find("`slipway job run` does not know `hostPID`") != text.npos);
  CHECK(text.find("m.yaml:33:13") != text.npos);
}

TEST_CASE("pods: what Kubernetes or JobSet refuses is refused here, too") {
  CHECK(Read(replaced(manifest, "completions: 4", "completions: four")).diagnostics.errors() == 1);
  CHECK(Read(replaced(manifest, "name: node", "name: Node")).diagnostics.errors() == 1);
}
