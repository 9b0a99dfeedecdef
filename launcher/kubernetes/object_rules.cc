// What no schema says, and the API server's validation rules and webhooks refuse.
#include "launcher/kubernetes/object_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <set>

#include "launcher/kubernetes/manifest_text.h"
#include "launcher/kubernetes/queue_rules.h"

namespace slipway::kubernetes {
namespace {

using source::Code;
using source::Node;
using source::Span;

constexpr size_t longest_label = 63;  // RFC 1035
constexpr long double longest_limit = 2147483647;

// The whole number at `key` of a mapping; `otherwise` without one, and nothing if it is unknown.
std::optional<long double> number_at(const Node& node, std::string_view key,
                                     long double otherwise) {
  const Node* value = node.find(key);
  if (value == nullptr || value->is_null()) return otherwise;
  if (!value->is_scalar()) return std::nullopt;
  const source::Scalar scalar = source::resolve(*value);
  const auto* number = std::get_if<long double>(&scalar);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

const Node* find_path(const Node& node, std::initializer_list<std::string_view> keys) {
  const Node* at = &node;
  for (const std::string_view key : keys) {
    at = at->find(key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

class JobSetRules {
 public:
  JobSetRules(const Object& object, source::Diagnostics& diagnostics)
      : object_(object), diagnostics_(diagnostics) {}

  void run() {
    const Node* jobs = object_.at({"spec", "replicatedJobs"});
    if (jobs == nullptr || !jobs->is_sequence()) return;
    for (const Node& job : jobs->items) {
      names_of_pods(job);
      order(job);
      one_order(job);
      names_.insert(text_at(job, "name"));
      in_place(job);
    }
    jobs_ = jobs;
    if (std::ranges::any_of(names_, [](const std::string& name) { return is_unknown(name); })) {
      return;
    }
    targets(object_.at({"spec", "successPolicy", "targetReplicatedJobs"}));
    const Node* rules = object_.at({"spec", "failurePolicy", "rules"});
    if (rules != nullptr) {
      for (const Node& rule : rules->items) targets(rule.find("targetReplicatedJobs"));
    }
    if (const Node* coordinator = object_.at({"spec", "coordinator"})) check(*coordinator);
  }

 private:
  source::Diagnostic& refuse(Span place, const std::string& message) {
    return diagnostics_.error(Code::rule_broken, place, message);
  }

  static Span place(const Node& node) {
    return node.is_mapping() && !node.entries.empty() ? node.entries.front().key_span : node.span;
  }

  // The names of jobs and pods consist of those of the JobSet and the replicated job, and indexes.
  void names_of_pods(const Node& job) {
    const Node* name = job.find("name");
    const auto replicas = number_at(job, "replicas", 1);
    if (name == nullptr || !name->is_scalar() || is_unknown(name->text) ||
        is_unknown(object_.name) || !replicas || object_.name.empty())
      return;
    std::string longest =
        fmt::format("{}-{}-{:.0f}", object_.name, name->text, std::max(0.0L, *replicas - 1));
    static const std::regex label("[a-z]([-a-z0-9]*[a-z0-9])?");
    if (longest.size() < 1000 && !std::regex_match(longest, label)) {
      refuse(name->span, fmt::format("jobs of this JobSet cannot have the name `{}`", longest))
          .help("use lowercase letters, digits and `-`, with a letter first");
    }
    const Node* spec = find_path(job, {"template", "spec"});
    const std::string mode = spec == nullptr ? "" : text_at(*spec, "completionMode");
    const auto pods = spec == nullptr ? std::nullopt : number_at(*spec, "completions", 0);
    if (pods && *pods > 0 && (mode.empty() || mode == "Indexed")) {
      longest += fmt::format("-{:.0f}-abcde", *pods - 1);
    }
    if (longest.size() <= longest_label) return;
    refuse(name->span, fmt::format("pods of this JobSet would have names of {} characters, such as "
                                   "`{}`",
                                   longest.size(), longest))
        .help(fmt::format("at most {} are allowed: shorten the name of the JobSet or of the job",
                          longest_label));
  }

  void order(const Node& job) {
    const Node* depends = job.find("dependsOn");
    if (depends == nullptr || !depends->is_sequence()) return;
    const bool any_unknown =
        std::ranges::any_of(names_, [](const std::string& name) { return is_unknown(name); });
    if (object_.open || any_unknown) return;  // a template may make the job that it names
    for (const Node& item : depends->items) {
      const Node* on = item.find("name");
      if (on == nullptr || is_unknown(on->text) || names_.contains(on->text)) continue;
      refuse(on->span, fmt::format("`{}` cannot depend on `{}`, which is not before it",
                                   text_at(job, "name"), on->text));
    }
  }

  // A rule of the CRD, spec.x-kubernetes-validations.
  void one_order(const Node& job) {
    const Node* startup = object_.at({"spec", "startupPolicy", "startupPolicyOrder"});
    const Node* depends = job.find("dependsOn");
    if (startup == nullptr || startup->text != "InOrder" || depends == nullptr) return;
    refuse(place(*depends), "`dependsOn` cannot be used beside the startup policy `InOrder`")
        .help("leave out `startupPolicy`, which is deprecated");
  }

  void in_place(const Node& job) {
    const Node* strategy = object_.at({"spec", "failurePolicy", "restartStrategy"});
    if (strategy == nullptr || strategy->text != "InPlaceRestart") return;
    const Node* spec = find_path(job, {"template", "spec"});
    const auto limit =
        spec == nullptr ? std::optional<long double>(0.0L) : number_at(*spec, "backoffLimit", 0);
    if (!limit || *limit == longest_limit || object_.open) return;
    refuse(strategy->span, fmt::format("`InPlaceRestart` needs `backoffLimit: {:.0f}` in the "
                                       "template of `{}`",
                                       longest_limit, text_at(job, "name")));
  }

  void targets(const Node* list) {
    if (list == nullptr || !list->is_sequence()) return;
    for (const Node& target : list->items) known(target);
  }

  bool known(const Node& name) {
    if (!name.is_scalar() || is_unknown(name.text) || object_.open || names_.contains(name.text))
      return true;
    const std::vector<std::string> names(names_.begin(), names_.end());
    refuse(name.span, fmt::format("this JobSet has no replicated job `{}`", name.text))
        .help(source::did_you_mean(name.text, names));
    return false;
  }

  void check(const Node& coordinator) {
    const Node* name = coordinator.find("replicatedJob");
    if (name == nullptr || !known(*name)) return;
    const auto job = std::ranges::find_if(
        jobs_->items, [&](const Node& one) { return text_at(one, "name") == name->text; });
    if (job == jobs_->items.end()) return;
    index(coordinator, "jobIndex", number_at(*job, "replicas", 1));
    const Node* spec = find_path(*job, {"template", "spec"});
    if (spec == nullptr || object_.open) return;
    if (text_at(*spec, "completionMode") == "NonIndexed") {
      refuse(name->span, "the job of the coordinator must have the completion mode `Indexed`");
    } else if (spec->find("completions") != nullptr) {
      index(coordinator, "podIndex", number_at(*spec, "completions", 1));
    }
  }

  void index(const Node& coordinator, std::string_view key, std::optional<long double> count) {
    const auto value = number_at(coordinator, key, 0);
    if (!value || !count || (*value >= 0 && *value < *count)) return;
    const Node* written = coordinator.find(key);
    refuse(written == nullptr ? place(coordinator) : written->span,
           fmt::format("`{}` of the coordinator must be less than {:.0f}", key, *count));
  }

  const Object& object_;
  source::Diagnostics& diagnostics_;
  const Node* jobs_ = nullptr;
  std::set<std::string> names_;  // of the replicated jobs so far
};

// `kubernetes.io/hostname` is the lowest level: nothing is below a machine.
void check_topology(const Object& object, source::Diagnostics& diagnostics) {
  const Node* levels = object.at({"spec", "levels"});
  if (levels == nullptr || !levels->is_sequence() || levels->items.empty()) return;
  for (const Node& level : levels->items) {
    const Node* label = level.find("nodeLabel");
    if (&level == &levels->items.back() || label == nullptr || object.open ||
        label->text != "kubernetes.io/hostname")
      continue;
    diagnostics.error(Code::rule_broken, label->span,
                      "`kubernetes.io/hostname` can only be the last level of a Topology");
  }
}

}  // namespace

void check_rules(const Object& object, source::Diagnostics& diagnostics) {
  if (object.kind == "JobSet") JobSetRules(object, diagnostics).run();
  if (object.kind == "Topology") check_topology(object, diagnostics);
  static const std::set<std::string_view> with_quotas{"ClusterQueue", "Cohort"};
  if (with_quotas.contains(object.kind)) check_quotas(object, diagnostics);
  static const std::set<std::string_view> with_pods{
      "ResourceFlavor", "JobSet", "Job", "Pod", "Deployment", "DaemonSet", "StatefulSet"};
  if (with_pods.contains(object.kind)) check_tolerations(object, diagnostics);
}

}  // namespace slipway::kubernetes
