// Tests what is reported about manifests, with the schemas of the catalogue.
#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "launcher/kubernetes/manifest_text.h"
#include "launcher/kubernetes/object_check.h"
#include "launcher/kubernetes/object_rules.h"
#include "launcher/kubernetes/template_mask.h"
#include "launcher/kubernetes/tpu_pods.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::kubernetes;

namespace {

const Schemas& shipped_schemas() {
  static const Schemas schemas(TEST_SOURCE_ROOT "/blueprints/catalogue");
  return schemas;
}

const cluster::TpuTable& shipped_tpus() {
  static source::Sources sources;
  static source::Diagnostics diagnostics(sources);
  static const cluster::TpuTable table =
      cluster::load_tpus(TEST_SOURCE_ROOT "/blueprints/catalogue", sources, diagnostics);
  return table;
}

// The findings for a manifest, as LINE:COLUMN: MESSAGE (HELP), a line for each.
std::string findings(const std::string& text) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  const source::Span file = sources.add("x.yaml", text);
  for (Document& document : read_documents({text, {}, file, false}, sources, diagnostics)) {
    if (!document.root.is_mapping()) continue;  // only its template makes objects
    Object object{text_at(document.root, "apiVersion"),
                  text_at(document.root, "kind"),
                  "",
                  "",
                  {},
                  document.open};
    if (const source::Node* metadata = document.root.find("metadata")) {
      object.name = text_at(*metadata, "name");
    }
    object.root = std::move(document.root);
    check_object(object, shipped_schemas(), diagnostics);
    check_rules(object, diagnostics);
    check_tpu_pods(object, shipped_tpus(), diagnostics);
  }
  std::string lines;
  for (const source::Diagnostic& found : diagnostics.sorted()) {
    const source::Place place = sources.place(found.span.begin);
    lines += fmt::format("{}:{}: {}{}\n", place.line, place.column, found.message,
                         found.helps.empty() ? "" : " (" + found.helps.front() + ")");
  }
  return lines;
}

// A JobSet, of which the tests replace one line.
std::string job_set(const std::string& line, const std::string& instead) {
  std::string text =
      "apiVersion: jobset.x-k8s.io/v1alpha2\n"
      "kind: JobSet\n"
      "metadata: {name: train}\n"
      "spec:\n"
      "  coordinator: {replicatedJob: leader}\n"
      "  failurePolicy: {rules: [{name: hosts, action: RestartJobSet}]}\n"
      "  replicatedJobs:\n"
      "  - name: leader\n"
      "    template: {spec: {template: {spec: {containers: [{name: main}]}}}}\n"
      "  - name: workers\n"
      "    replicas: 4\n"
      "    dependsOn: [{name: leader, status: Ready}]\n"
      "    template: {spec: {completions: 16, template: {spec: {containers: [{name: main}]}}}}\n";
  if (!line.empty()) text.replace(text.find(line), line.size(), instead);
  return text;
}

}  // namespace

TEST_CASE("manifests: a field of another version has no effect, at its own line") {
  CHECK(findings("apiVersion: kueue.x-k8s.io/v1beta2\n"
                 "kind: ClusterQueue\n"
                 "metadata: {name: all}\n"
                 "spec:\n"
                 "  cohort: everybody\n"
                 "  admissionChecks: [later]\n") ==
        "5:3: a ClusterQueue has no field `spec.cohort`: it has no effect "
        "(`kueue.x-k8s.io/v1beta1` has this field)\n"
        "6:3: a ClusterQueue has no field `spec.admissionChecks`: it has no effect "
        "(did you mean `admissionChecks` of `admissionChecksStrategy`?)\n");
}

// As Cluster Toolkit v1.95 writes queues for flexible start, of GPUs and of TPUs, and for slices
// that are made when jobs need them.
TEST_CASE("manifests: a queue that would not wait for its admission check is found") {
  const auto queue = [](const std::string& api, const std::string& resource,
                        const std::string& checks) {
    return "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\n"
           "apiVersion: kueue.x-k8s.io/" +
           api +
           "\nkind: ClusterQueue\n"
           "metadata: {name: dws}\nspec:\n  namespaceSelector: {}\n  resourceGroups:\n"
           "  - coveredResources: [" +
           resource +
           "]\n    flavors:\n    - name: default\n"
           "      resources:\n      - {name: " +
           resource + ", nominalQuota: 1000}\n" + checks;
  };
  for (const char* resource : {"nvidia.com/gpu", "google.com/tpu", "${resource}"}) {
    for (const char* checks :
         {"  admissionChecks:\n  - dws-prov\n", "  admissionChecks: [\"dws\"]\n",
          "  admissionChecks:\n  %{ for c in checks ~}\n  - ${c}\n  %{ endfor ~}\n",
          "  admissionChecks: ${jsonencode(checks)}\n"}) {
      CHECK(findings(queue("v1beta2", resource, checks)) ==
            "16:3: a ClusterQueue has no field `spec.admissionChecks`: it has no effect "
            "(did you mean `admissionChecks` of `admissionChecksStrategy`?)\n");
      CHECK(findings(queue("v1beta1", resource, checks)) == "");
    }
    CHECK(findings(queue("v1beta2", resource,
                         "  admissionChecksStrategy: {admissionChecks: [{name: dws-prov}]}\n")) ==
          "");
  }
}

TEST_CASE("manifests: a slip in a field's name is an error") {
  CHECK(findings("apiVersion: kueue.x-k8s.io/v1beta1\n"
                 "kind: LocalQueue\n"
                 "metadata: {name: users}\n"
                 "spec: {clusterQeue: all}\n") ==
        "4:8: a LocalQueue has no field `spec.clusterQeue` (did you mean `clusterQueue`?)\n");
}

TEST_CASE("manifests: each document has its own places") {
  CHECK(findings("# first\n---\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
                 "--- # second\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"
                 "data: {nodes: 2}\n...\n") ==
        "11:15: `data.nodes` of this ConfigMap must be a string, not `2` (write \"2\")\n");
}

TEST_CASE("manifests: what a template decides is left alone") {
  const std::string text =
      "apiVersion: kueue.x-k8s.io/v1beta2\n"
      "kind: ClusterQueue\n"
      "metadata: {name: \"queue-${name}\"}\n"
      "spec:\n"
      "  %{ if cohort != \"\" ~}\n"
      "  cohortName: ${cohort}\n"
      "  %{ endif ~}\n"
      "  ${indent(2, yamlencode({\n"
      "    fairSharing = {weight = 2}\n"
      "  }))}\n"
      "  stopPolicy: {{ .Values.policy }}\n"
      "  preemption: ${jsonencode({reclaimWithinCohort = \"Any\"})}\n"
      "  resourceGroups:\n"
      "  - coveredResources: [${resource}]\n"
      "    flavors:\n"
      "    - {name: \"$${x}\", resources: [{nominalQuota: ${n}}]}\n";
  CHECK(findings(text) ==
        "16:14: `spec.resourceGroups[0].flavors[0].name` of this ClusterQueue cannot be `$${x}` "
        "(use lowercase letters, digits, `-` and `.`, with a letter or digit at both ends)\n");
}

TEST_CASE("manifests: a template's mask keeps every place") {
  const Masked masked = mask_templates("a: ${b}\n%{if c}\nd: é $(e) {{f}}\n", false);
  CHECK(masked.text == "a: \xEE\x80\x80x\n       \nd: é $(e) \xEE\x80\x80xx\n");
  CHECK(masked.open);
  CHECK(mask_templates("$(e)", true).open);
  CHECK_FALSE(mask_templates("a: $(e)", true).open);
  CHECK(mask_templates("${open", false).text == "${open");
  // Also among many that have no end.
  std::string many;
  for (int i = 0; i < 50000; ++i) many += "${{{";
  CHECK(mask_templates(many, false).text == many);
  CHECK(mask_templates(many + "\n}${b}", false).any);
}

TEST_CASE("manifests: JobSets that the webhook refuses") {
  CHECK(findings(job_set("", "")).empty());
  CHECK(findings(job_set("replicatedJob: leader", "replicatedJob: boss")) ==
        "5:32: this JobSet has no replicated job `boss`\n");
  CHECK(findings(job_set("[{name: leader,", "[{name: workers,")) ==
        "12:24: `workers` cannot depend on `workers`, which is not before it\n");
  CHECK(findings(job_set("name: hosts", "name: hosts-")) ==
        "6:34: `spec.failurePolicy.rules[0].name` of this JobSet cannot be `hosts-` "
        "(it must match ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$)\n");
  CHECK(findings(job_set("replicatedJob: leader", "replicatedJob: leader, jobIndex: 1")) ==
        "5:50: `jobIndex` of the coordinator must be less than 1\n");
  CHECK(findings(job_set("{rules:", "{restartStrategy: InPlaceRestart, rules:")) ==
        "6:36: `InPlaceRestart` needs `backoffLimit: 2147483647` in the template of `leader`\n"
        "6:36: `InPlaceRestart` needs `backoffLimit: 2147483647` in the template of `workers`\n");
  const std::string long_name(50, 'w');
  CHECK(
      findings(job_set("name: workers", "name: " + long_name)) ==
      "10:11: pods of this JobSet would have names of 67 characters, such as `train-" + long_name +
          "-3-15-abcde` (at most 63 are allowed: shorten the name of the JobSet or of the job)\n");
}

TEST_CASE("manifests: JobSets that their schema refuses") {
  CHECK(findings(job_set("replicas: 4", "replicas: four")) ==
        "11:15: `spec.replicatedJobs[1].replicas` of this JobSet must be a whole number, not the "
        "string `four`\n");
  CHECK(findings(job_set("action: RestartJobSet", "action: restartJobSet")) ==
        "6:49: `spec.failurePolicy.rules[0].action` of this JobSet cannot be `restartJobSet` "
        "(did you mean `RestartJobSet`?)\n");
  CHECK(findings(job_set("name: workers", "name: leader"))
            .find("has two entries with the name "
                  "`leader`") != std::string::npos);
  CHECK(findings(job_set("    template: {spec: {template: {spec: {containers: [{name: main}]}}}}\n",
                         "")) == "8:5: this JobSet needs `spec.replicatedJobs[0].template`\n");
}

TEST_CASE("manifests: levels below a machine") {
  CHECK(findings("apiVersion: kueue.x-k8s.io/v1beta2\n"
                 "kind: Topology\n"
                 "metadata: {name: blocks}\n"
                 "spec: {levels: [{nodeLabel: kubernetes.io/hostname}, {nodeLabel: rack}]}\n") ==
        "4:29: `kubernetes.io/hostname` can only be the last level of a Topology\n");
}

TEST_CASE("manifests: kinds without a schema pass, but not slips") {
  CHECK(findings("apiVersion: example.com/v1\nkind: Queue\nanything: 1\n").empty());
  CHECK(findings("apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueu\n") ==
        "2:7: `kueue.x-k8s.io/v1beta2` may not have the kind `ClusterQueu` "
        "(did you mean `ClusterQueue`?)\n");
  CHECK(findings("apiVersion: kueue.x-k8s.io/v1\nkind: ClusterQueue\n").find("may not exist in") !=
        std::string::npos);
}

TEST_CASE("manifests: text that is not YAML is an error, unless a template may be the cause") {
  CHECK(findings("kind: [\n").find("1:") == 0);
  CHECK(findings("kind: [${x}\n").empty());
  CHECK(findings("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nkind: ConfigMap\n")
            .find("4:1") == 0);
}

TEST_CASE("manifests: jobs on slices of TPUs") {
  const auto job = [](const std::string& accelerator, const std::string& topology,
                      const std::string& completions) {
    return findings(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\n"
        "spec:\n"
        "  completions: " +
        completions +
        "\n"
        "  template:\n"
        "    spec:\n"
        "      nodeSelector:\n"
        "        cloud.google.com/gke-tpu-accelerator: " +
        accelerator + "\n        cloud.google.com/gke-tpu-topology: " + topology +
        "\n      containers: [{name: main, resources: {limits: {google.com/tpu: \"4\"}}}]\n");
  };
  CHECK(job("tpu-v6e-slice", "4x4", "4").empty());
  CHECK(job("tpu-v5p-slice", "4x4x8", "32").empty());
  CHECK(job("${type}", "${shape}", "${count}").empty());
  CHECK(job("tpu-v6e-slice", "2x2x4", "4") ==
        "10:44: TPUs of the generation `v6e` have no topology `2x2x4` (topologies are 1x1, 2x2, "
        "2x4, 4x4, 4x8, 8x8, 8x16, 16x16)\n");
  CHECK(job("tpu-v6ee-slice", "4x4", "4") ==
        "9:47: machines of GKE may not have the TPUs `tpu-v6ee-slice` (did you mean "
        "`tpu-v6e-slice`?)\n");
  CHECK(job("tpu-v6e-slice", "4x8", "4") ==
        "5:16: a slice of 4x8 has 8 machines with 4 chips, but this job has 4 pods (set "
        "`completions` and `parallelism` to the machines of a slice, and `replicas` to the number "
        "of slices)\n");
}

TEST_CASE("manifests: a job may depend on one that only a template names") {
  const auto jobs = [](const std::string& first) {
    return findings(
        "apiVersion: jobset.x-k8s.io/v1alpha2\n"
        "kind: JobSet\n"
        "metadata: {name: train}\n"
        "spec:\n"
        "  replicatedJobs:\n"
        "  - name: " +
        first +
        "\n"
        "    template: {spec: {template: {spec: {containers: [{name: main}]}}}}\n"
        "  - name: workers\n"
        "    dependsOn: [{name: driver, status: Ready}]\n"
        "    template: {spec: {template: {spec: {containers: [{name: main}]}}}}\n");
  };
  CHECK(jobs("${driver}").empty());
  CHECK(jobs("driver").empty());
  CHECK(jobs("drivers").starts_with("9:24: `workers` cannot depend on `driver`"));
}

TEST_CASE("manifests: a document that only its template makes may be any object") {
  const auto open_documents = [](const std::string& text) {
    source::Sources sources;
    source::Diagnostics diagnostics(sources);
    const source::Span file = sources.add("x.yaml", text);
    const auto documents = read_documents({text, {}, file, false}, sources, diagnostics);
    return std::ranges::count(documents, true, &Document::open);
  };
  CHECK(open_documents("${yamlencode(queue)}\n") == 1);
  CHECK(open_documents("kind: A\n---\n${one}\n---\n${two}\n") == 2);
  CHECK(open_documents("kind: A\n---\n%{ if more ~}\n%{ endif ~}\n") == 0);
  CHECK(open_documents("kind: [${one}\n") == 1);
}
