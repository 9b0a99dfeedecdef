// Checks quotas, tolerations and taints.
// Sources: kubernetes-sigs/kueue v0.13, apis/kueue/v1beta1 (XValidation) and pkg/webhooks;
// kubernetes/kubernetes v1.35, pkg/apis/core/validation (Lt and Gt are new there).
#include "launcher/kubernetes/queue_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/text.h"
#include "launcher/kubernetes/manifest_text.h"

namespace slipway::kubernetes {
namespace {

using source::Code;
using source::Node;

// The scalars of a list; nothing if one of them is unknown.
std::optional<std::vector<std::string>> known_texts(const Node* list, std::string_view key = {}) {
  if (list == nullptr || !list->is_sequence()) return std::nullopt;
  std::vector<std::string> texts;
  for (const Node& item : list->items) {
    const std::string text = key.empty() ? item.text : text_at(item, key);
    if (text.empty() || is_unknown(text)) return std::nullopt;
    texts.push_back(text);
  }
  return texts;
}

class QuotaCheck {
 public:
  QuotaCheck(const Object& object, source::Diagnostics& diagnostics)
      : object_(object), diagnostics_(diagnostics) {}

  void run() {
    const Node* groups = object_.at({"spec", "resourceGroups"});
    if (groups == nullptr || !groups->is_sequence() || object_.open) return;
    for (const Node& group : groups->items) {
      const auto covered = known_texts(group.find("coveredResources"));
      if (!covered) continue;
      for (size_t i = 0; i < covered->size(); ++i) {
        once(resources_, (*covered)[i], group.find("coveredResources")->items[i], "resource");
      }
      const Node* flavors = group.find("flavors");
      if (flavors == nullptr || !flavors->is_sequence()) continue;
      for (const Node& flavor : flavors->items) check(flavor, *covered);
    }
  }

 private:
  void once(std::set<std::string>& seen, const std::string& name, const Node& at,
            const char* what) {
    if (seen.insert(name).second) return;
    diagnostics_.error(Code::rule_broken, at.span,
                       fmt::format("the {} `{}` is in this {} twice", what, name, object_.kind));
  }

  void check(const Node& flavor, const std::vector<std::string>& covered) {
    const Node* name = flavor.find("name");
    if (name != nullptr && name->is_scalar() && !is_unknown(name->text)) {
      once(flavors_, name->text, *name, "flavor");
    }
    const Node* resources = flavor.find("resources");
    const auto quotas = known_texts(resources, "name");
    if (!quotas || *quotas == covered) return;
    size_t differs = 0;
    while (differs < quotas->size() && differs < covered.size() &&
           (*quotas)[differs] == covered[differs]) {
      ++differs;
    }
    const Node& at = differs < resources->items.size() ? *resources->items[differs].find("name")
                     : name != nullptr                 ? *name
                                                       : *resources;
    diagnostics_
        .error(Code::rule_broken, at.span,
               fmt::format("the flavor `{}` does not have a quota for each of the resources that "
                           "`coveredResources` lists, in that order",
                           text_at(flavor, "name")))
        .help("it lists " + slipway::join(covered, ", "));
  }

  const Object& object_;
  source::Diagnostics& diagnostics_;
  std::set<std::string> resources_, flavors_;
};

class TolerationCheck {
 public:
  TolerationCheck(const Object& object, source::Diagnostics& diagnostics)
      : in_kueue_(object.kind == "ResourceFlavor"), diagnostics_(diagnostics) {}

  void walk(const Node& node) {
    for (const Node& item : node.items) walk(item);
    for (const source::Entry& entry : node.entries) {
      const bool tolerations = entry.key == "tolerations";
      if (tolerations || entry.key == "nodeTaints") {
        for (const Node& one : entry.value.items) check(one, tolerations);
      } else {
        walk(entry.value);
      }
    }
  }

 private:
  void check(const Node& one, bool is_toleration) {
    one_of(one, "effect", {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    if (!is_toleration) return;
    one_of(one, "operator",
           in_kueue_ ? std::vector<std::string>{"Equal", "Exists"}
                     : std::vector<std::string>{"Equal", "Exists", "Lt", "Gt"});
    const Node* value = one.find("value");
    if (text_at(one, "operator") == "Exists" && value != nullptr && !value->text.empty()) {
      diagnostics_.error(Code::rule_broken, value->span,
                         "a toleration with the operator `Exists` has no value");
    }
    const Node* how = one.find("operator");
    if (text_at(one, "key").empty() && one.is_mapping() && !one.entries.empty() &&
        text_at(one, "operator") != "Exists" && (how == nullptr || !is_unknown(how->text))) {
      diagnostics_.error(Code::rule_broken, one.entries.front().key_span,
                         "a toleration without a key needs the operator `Exists`");
    }
  }

  void one_of(const Node& one, std::string_view key, const std::vector<std::string>& words) {
    const Node* value = one.find(key);
    if (value == nullptr || !value->is_scalar() || value->is_null() || value->text.empty() ||
        is_unknown(value->text) || std::ranges::find(words, value->text) != words.end()) {
      return;
    }
    diagnostics_
        .error(Code::rule_broken, value->span, fmt::format("there is no {} `{}`", key, value->text))
        .help_choose(value->text, words);
  }

  bool in_kueue_;
  source::Diagnostics& diagnostics_;
};

}  // namespace

void check_quotas(const Object& object, source::Diagnostics& diagnostics) {
  QuotaCheck(object, diagnostics).run();
}

void check_tolerations(const Object& object, source::Diagnostics& diagnostics) {
  TolerationCheck(object, diagnostics).walk(object.root);
}

}  // namespace slipway::kubernetes
