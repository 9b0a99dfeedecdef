// Reads a replicated job of a JobSet.
#include "launcher/pods/job_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"

namespace slipway::pods {
namespace {

using source::Code;
using source::Node;

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

class JobReader {
 public:
  JobReader(std::vector<std::string>& notes, source::Diagnostics& diagnostics)
      : notes_(notes), diagnostics_(diagnostics) {}

  ReplicatedJob run(Fields& fields) {
    made_.name = fields.text("name");
    if (const std::string group = fields.text("groupName"); !group.empty()) made_.group = group;
    made_.replicas = fields.number("replicas", 1);
    fields.each("dependsOn", [&](Fields& each) {
      made_.depends_on.push_back({each.text("name"), each.text("status") == "Complete"});
    });
    Fields job_template = fields.at("template");
    Fields metadata = job_template.at("metadata");
    metadata.ignore({"labels", "annotations"});
    metadata.finish();
    Fields spec = job_template.at("spec");
    job(spec);
    spec.finish();
    job_template.finish();
    return std::move(made_);
  }

 private:
  source::Diagnostic& refuse(const Node* where, const std::string& message) {
    return diagnostics_.error(Code::no_equivalent, where == nullptr ? source::Span() : where->span,
                              message);
  }

  // As Kubernetes fills in what is not there; an Indexed job is JobSet's own default.
  void job(Fields& spec) {
    const Node* const completions = spec.find("completions");
    made_.pods_at_once = spec.number("parallelism", 1);
    made_.pods = completions == nullptr ? made_.pods_at_once : spec.number("completions", 1);
    made_.retries = spec.number("backoffLimit", made_.retries);
    made_.deadline_seconds = spec.number("activeDeadlineSeconds", 0);
    if (spec.text("completionMode") == "NonIndexed") {
      refuse(spec.find("completionMode"), "`slipway job run` runs jobs whose pods have an index")
          .help("leave out `completionMode`: in a JobSet, it is `Indexed`");
    }
    if (made_.pods_at_once < 1) {
      refuse(spec.find("parallelism"), "with this, the job has no pods and never ends");
    }
    spec.ignore({"ttlSecondsAfterFinished"});
    Fields policy = spec.at("podFailurePolicy");
    policy.each("rules", [&](Fields& each) { exit_rule(each); });
    policy.finish();
    Fields pod_template = spec.at("template");
    Fields metadata = pod_template.at("metadata");
    Fields annotations = metadata.at("annotations");
    made_.interfaces = interfaces_from(annotations.text("networking.gke.io/interfaces"));
    made_.annotations = texts_of(annotations.node());
    made_.labels = texts_of(metadata.find("labels"));
    metadata.finish();
    Fields pod = pod_template.at("spec");
    this->pod(pod);
    pod.finish();
    pod_template.finish();
  }

  void exit_rule(Fields& each) {
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
  }

  void pod(Fields& fields) {
    made_.restarts_containers = fields.text("restartPolicy") == "OnFailure";
    if (fields.text("restartPolicy") == "Always") {
      diagnostics_.error(Code::rule_broken, fields.find("restartPolicy")->span,
                         "pods of a Job have the restart policy `Never` or `OnFailure`");
    }
    fields.ignore({"tolerations", "hostNetwork", "dnsPolicy"});
    made_.grace_seconds = fields.number("terminationGracePeriodSeconds", made_.grace_seconds);
    made_.selector = texts_of(fields.find("nodeSelector"));
    fields.each("initContainers",
                [&](Fields& each) { made_.init.push_back(container_from(each)); });
    fields.each("containers",
                [&](Fields& each) { made_.containers.push_back(container_from(each)); });
    fields.each("volumes", [&](Fields& each) { made_.volumes.push_back(volume_from(each)); });
  }

  Container container_from(Fields& fields) {
    Container made;
    made.name = fields.text("name");
    made.image = fields.text("image");
    made.folder = fields.text("workingDir");
    made.command = fields.texts("command");
    if (made.command.empty()) {
      refuse(
          fields.node(),
          fmt::format("`slipway job run` does not know what the image of `{}` starts", made.name))
          .help("name it with `command`: images are not pulled here");
    }
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

  Variable variable_from(Fields& fields) {
    Variable variable;
    variable.name = fields.text("name");
    variable.value = fields.text("value");
    Fields from = fields.at("valueFrom");
    if (Fields field = from.at("fieldRef"); field.is_there()) {
      variable.field = field.text("fieldPath");
      if (!is_known_field(variable.field)) {
        refuse(
            field.find("fieldPath"),
            fmt::format("`slipway job run` does not know the field `{}` of pods", variable.field));
      }
      field.ignore({"apiVersion"});
      field.finish();
    }
    if (Fields secret = from.at("secretKeyRef"); secret.is_there()) {
      variable.secret = secret.text("name");
      variable.secret_key = secret.text("key");
      secret.finish();
    }
    from.finish();
    return variable;
  }

  static bool is_known_field(const std::string& path) {
    if (path == "metadata.name" || path == "metadata.namespace" || path == "spec.nodeName") {
      return true;
    }
    return (path.starts_with("metadata.labels['") || path.starts_with("metadata.annotations['")) &&
           path.ends_with("']");
  }

  void note(const std::string& text) {
    if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(text);
  }

  ReplicatedJob made_;
  std::vector<std::string>& notes_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

std::map<std::string, std::string> texts_of(const Node* mapping) {
  std::map<std::string, std::string> made;
  if (mapping == nullptr) return made;
  for (const source::Entry& entry : mapping->entries) made[entry.key] = entry.value.text;
  return made;
}

ReplicatedJob read_job(Fields& fields, std::vector<std::string>& notes,
                       source::Diagnostics& diagnostics) {
  return JobReader(notes, diagnostics).run(fields);
}

}  // namespace slipway::pods
