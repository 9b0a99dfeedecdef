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
  CHECK(read.set.pods == 4);
  CHECK(read.set.replicas == 2);
  CHECK(read.set.max_restarts == 3);
  CHECK(read.set.gpus() == 8);
  CHECK(read.set.interfaces == std::vector<std::string>{"eth0", "eth1"});
  CHECK(read.set.init.at(0).is_sidecar);
  CHECK(read.set.containers.at(0).command == std::vector<std::string>{"bash", "-c", "true"});
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
