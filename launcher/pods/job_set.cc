// Reads the JobSet of a manifest.
#include "launcher/pods/job_set.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/error.h"
#include "common/text.h"
#include "launcher/kubernetes/object_check.h"
#include "launcher/kubernetes/object_rules.h"
#include "launcher/pods/fields.h"

namespace slipway::pods {
namespace {

using source::Code;
using source::Node;

// The documents of a manifest, each at its own lines. Unlike the reader of `check`, which has to
// read templates, this one does not change texts.
std::vector<Node> documents(const std::filesystem::path& file, source::Sources& sources,
                            source::Diagnostics& diagnostics) {
  const std::string text(sources.text(sources.add_file(file)));
  std::vector<Node> made;
  std::string piece;
  size_t lines = 0;
  const auto end = [&] {
    if (piece.find_first_not_of('\n') == piece.npos) return;
    auto root = source::read_yaml(sources.add(file, piece), sources, diagnostics);
    if (root && root->is_mapping()) made.push_back(std::move(*root));
  };
  for (const std::string& line : split(text, '\n')) {
    ++lines;
    if (line == "---") {
      end();
      piece = std::string(lines, '\n');
    } else {
      piece += line + "\n";
    }
  }
  end();
  return made;
}

Volume volume_from(Fields& fields) {
  Volume volume;
  volume.name = fields.text("name");
  if (Fields map = fields.at("configMap"); map.is_there()) {
    volume.kind = Volume::Kind::config_map;
    volume.source = map.text("name");
    map.ignore({"defaultMode"});  // files are readable and executable, as converted jobs want them
    map.finish();
  }
  if (Fields empty = fields.at("emptyDir"); empty.is_there()) {
    const bool memory = empty.text("medium") == "Memory";
    volume.kind = memory ? Volume::Kind::memory : Volume::Kind::empty;
    empty.ignore({"sizeLimit"});
    empty.finish();
  }
  if (Fields host = fields.at("hostPath"); host.is_there()) {
    volume.kind = Volume::Kind::host;
    volume.source = host.text("path");
    host.ignore({"type"});
    host.finish();
  }
  if (Fields claim = fields.at("persistentVolumeClaim"); claim.is_there()) {
    volume.kind = Volume::Kind::claim;
    volume.source = claim.text("claimName");
    claim.finish();
  }
  return volume;
}

Variable variable_from(Fields& fields) {
  Variable variable;
  variable.name = fields.text("name");
  variable.value = fields.text("value");
  Fields from = fields.at("valueFrom");
  if (Fields label = from.at("fieldRef"); label.is_there()) {
    const std::string path = label.text("fieldPath");
    const size_t begin = path.find('\''), end = path.rfind('\'');
    if (path.starts_with("metadata.labels['") && end > begin) {
      variable.label = path.substr(begin + 1, end - begin - 1);
    }
    label.finish();
  }
  if (Fields secret = from.at("secretKeyRef"); secret.is_there()) {
    variable.secret = secret.text("name");
    variable.secret_key = secret.text("key");
    secret.finish();
  }
  from.finish();
  return variable;
}

// "eth0" of [{"interfaceName": "eth0", "network": "default"}]: a list in JSON, which YAML reads.
std::vector<std::string> interfaces_from(const std::string& text) {
  std::vector<std::string> names;
  source::Sources sources;
  source::Diagnostics ignored(sources);
  const auto list = source::read_yaml(sources.add("interfaces", text), sources, ignored);
  if (!list) return names;
  for (const Node& item : list->items) {
    if (const Node* name = item.find("interfaceName")) names.push_back(name->text);
  }
  return names;
}

class JobSetReader {
 public:
  JobSetReader(JobSet& made, source::Diagnostics& diagnostics)
      : made_(made), diagnostics_(diagnostics) {}

  void run(const Node& root) {
    Fields object(&root, diagnostics_);
    object.ignore({"apiVersion", "kind"});
    Fields metadata = object.at("metadata");
    made_.name = metadata.text("name");
    if (metadata.find("labels") != nullptr) {
      made_.notes.push_back("labels, such as those of Kueue: the job starts at once");
    }
    metadata.ignore({"namespace", "annotations"});
    Fields spec = object.at("spec");
    spec.ignore({"network", "suspend", "ttlSecondsAfterFinished"});
    failure_policy(spec);
    size_t jobs = 0;
    spec.each("replicatedJobs", [&](Fields& each) {
      if (++jobs == 1) return job(each);
      const Node* const second = each.find("name");
      diagnostics_.error(Code::no_equivalent, second == nullptr ? root.span : second->span,
                         "`slipway job run` runs JobSets with one replicated job");
      each.ignore({"replicas", "template", "dependsOn"});
    });
    spec.finish();
    object.finish();
  }

 private:
  void failure_policy(Fields& spec) {
    Fields policy = spec.at("failurePolicy");
    made_.max_restarts = policy.number("maxRestarts", 0);
    policy.each("rules", [&](Fields& each) {
      made_.failure_rules.push_back(
          {each.text("name"), each.text("action"), each.texts("onJobFailureReasons")});
      each.ignore({"targetReplicatedJobs"});
    });
    policy.finish();
  }

  void job(Fields& fields) {
    made_.job = fields.text("name");
    made_.replicas = fields.number("replicas", 1);
    Fields job_template = fields.at("template");
    Fields spec = job_template.at("spec");
    made_.pods = spec.number("completions", 1);
    spec.ignore({"parallelism", "completionMode", "backoffLimit"});
    made_.deadline_seconds = spec.number("activeDeadlineSeconds", 0);
    Fields policy = spec.at("podFailurePolicy");
    policy.each("rules", [&](Fields& each) {
      ExitRule rule;
      rule.action = each.text("action");
      Fields codes = each.at("onExitCodes");
      rule.container = codes.text("containerName");
      rule.in = codes.text("operator") != "NotIn";
      for (const std::string& code : codes.texts("values")) {
        rule.codes.push_back(to_number<int64_t>(code).value_or(-1));
      }
      codes.finish();
      made_.exit_rules.push_back(std::move(rule));
    });
    policy.finish();
    Fields pod_template = spec.at("template");
    Fields metadata = pod_template.at("metadata");
    annotations(metadata);
    metadata.finish();
    Fields pod = pod_template.at("spec");
    this->pod(pod);
    pod.finish();
    pod_template.finish();
    spec.finish();
    job_template.finish();
  }

  Container container_from(Fields& fields) {
    Container made;
    made.name = fields.text("name");
    made.image = fields.text("image");
    made.folder = fields.text("workingDir");
    made.command = fields.texts("command");
    for (std::string& word : fields.texts("args")) made.command.push_back(std::move(word));
    made.is_sidecar = fields.text("restartPolicy") == "Always";
    fields.each("env", [&](Fields& each) { made.environment.push_back(variable_from(each)); });
    fields.each("volumeMounts", [&](Fields& each) {
      made.mounts.push_back({each.text("name"), each.text("mountPath"), each.text("subPath"),
                             each.truth("readOnly")});
    });
    Fields resources = fields.at("resources");
    Fields limits = resources.at("limits");
    made.gpus = limits.number("nvidia.com/gpu", 0);
    if (const Node* node = limits.node()) {
      for (const source::Entry& limit : node->entries) {
        if (limit.key != "nvidia.com/gpu") note(fmt::format("the limit `{}`", limit.key));
      }
    }
    resources.ignore({"requests"});
    resources.finish();
    fields.ignore({"securityContext", "imagePullPolicy", "ports"});
    return made;
  }

  void note(const std::string& text) {
    if (std::ranges::find(made_.notes, text) == made_.notes.end()) made_.notes.push_back(text);
  }

  void annotations(Fields& metadata) {
    Fields each = metadata.at("annotations");
    made_.interfaces = interfaces_from(each.text("networking.gke.io/interfaces"));
    metadata.ignore({"labels"});
  }

  void pod(Fields& fields) {
    fields.ignore({"restartPolicy", "tolerations", "hostNetwork", "dnsPolicy"});
    made_.grace_seconds = fields.number("terminationGracePeriodSeconds", made_.grace_seconds);
    if (const Node* selector = fields.find("nodeSelector")) {
      for (const source::Entry& entry : selector->entries) {
        made_.selector[entry.key] = entry.value.text;
      }
    }
    fields.each("initContainers",
                [&](Fields& each) { made_.init.push_back(container_from(each)); });
    fields.each("containers",
                [&](Fields& each) { made_.containers.push_back(container_from(each)); });
    fields.each("volumes", [&](Fields& each) { made_.volumes.push_back(volume_from(each)); });
    if (made_.containers.size() > 1) {
      diagnostics_.error(Code::no_equivalent, fields.node()->span,
                         "`slipway job run` runs pods with one container beside sidecars");
    }
  }

  JobSet& made_;
  source::Diagnostics& diagnostics_;
};

// The entries of a mapping of texts.
std::map<std::string, std::string> texts_of(const Node* mapping) {
  std::map<std::string, std::string> made;
  if (mapping == nullptr) return made;
  for (const source::Entry& entry : mapping->entries) made[entry.key] = entry.value.text;
  return made;
}

}  // namespace

int64_t JobSet::gpus() const {
  int64_t most = 0;
  for (const std::vector<Container>* list : {&init, &containers}) {
    for (const Container& container : *list) most = std::max(most, container.gpus);
  }
  return most;
}

JobSet read_job_set(const std::filesystem::path& file, const std::filesystem::path& catalogue,
                    source::Sources& sources, source::Diagnostics& diagnostics) {
  JobSet made;
  const kubernetes::Schemas schemas(catalogue);
  size_t found = 0;
  for (Node& root : documents(file, sources, diagnostics)) {
    kubernetes::Object object;
    object.api = kubernetes::text_at(root, "apiVersion");
    object.kind = kubernetes::text_at(root, "kind");
    object.root = std::move(root);
    if (const Node* metadata = object.root.find("metadata")) {
      object.name = kubernetes::text_at(*metadata, "name");
    }
    check_object(object, schemas, diagnostics);
    check_rules(object, diagnostics);
    if (diagnostics.errors() > 0) continue;
    if (object.kind == "ConfigMap") {
      made.config_maps[object.name] = texts_of(object.root.find("data"));
    } else if (object.kind == "Secret") {
      made.secrets[object.name] = texts_of(object.root.find("stringData"));
    } else if (object.kind == "JobSet") {
      if (++found == 1) JobSetReader(made, diagnostics).run(object.root);
    } else {
      made.notes.push_back(fmt::format("the {} `{}`", object.kind, object.name));
    }
  }
  if (found != 1 && diagnostics.errors() == 0) {
    throw Error(
        fmt::format("{} has {} JobSets, and `slipway job run` runs one", file.string(), found));
  }
  return made;
}

}  // namespace slipway::pods
