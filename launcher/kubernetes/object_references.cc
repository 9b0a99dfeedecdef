// Finds names of objects that do not exist.
#include "launcher/kubernetes/object_references.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "launcher/kubernetes/manifest_text.h"

namespace slipway::kubernetes {
namespace {

using source::Code;
using source::Node;

class ReferenceCheck {
 public:
  ReferenceCheck(const std::vector<Object>& objects, source::Diagnostics& diagnostics)
      : objects_(objects), diagnostics_(diagnostics) {}

  void check(const Object& object, const Reference& reference) {
    object_ = &object;
    reference_ = &reference;
    if (!reference.condition.empty()) {
      const Node* kind = &object.root;
      for (const std::string& key : reference.condition) {
        kind = kind == nullptr ? nullptr : kind->find(key);
      }
      if (kind == nullptr || kind->text != reference.to) return;
    }
    follow(object.root, reference.at);
  }

 private:
  void follow(const Node& node, std::span<const std::string> keys) {
    if (keys.empty()) return look_up(node);
    if (keys.front() == "[]") {
      for (const Node& item : node.items) follow(item, keys.subspan(1));
    } else if (const Node* value = node.find(keys.front())) {
      follow(*value, keys.subspan(1));
    }
  }

  void look_up(const Node& name) {
    if (!name.is_scalar() || name.is_null() || is_unknown(name.text)) return;
    std::vector<std::string> names;
    const Object* elsewhere = nullptr;
    for (const Object& other : objects_) {
      if (other.kind != reference_->to) continue;
      if (is_unknown(other.name)) return;  // it may be this one
      const bool visible = !reference_->same_namespace || is_unknown(other.space) ||
                           is_unknown(object_->space) || other.space == object_->space;
      if (other.name == name.text && visible) return;
      if (other.name == name.text) elsewhere = &other;
      names.push_back(other.name);
    }
    const std::string& kind = reference_->to;
    if (elsewhere != nullptr) {
      diagnostics_.warning(Code::rule_broken, name.span,
                           fmt::format("the {} `{}` is in the namespace `{}`, not in `{}`", kind,
                                       name.text, elsewhere->space, object_->space));
      return;
    }
    diagnostics_
        .warning(Code::rule_broken, name.span,
                 fmt::format("no manifest of the blueprint has a {} `{}`", kind, name.text))
        .help(source::did_you_mean(name.text, names))
        .help(fmt::format("this {} waits until the cluster has it", object_->kind));
  }

  const std::vector<Object>& objects_;
  source::Diagnostics& diagnostics_;
  const Object* object_ = nullptr;
  const Reference* reference_ = nullptr;
};

}  // namespace

void check_references(const std::vector<Object>& objects, const std::vector<Reference>& references,
                      source::Diagnostics& diagnostics) {
  ReferenceCheck check(objects, diagnostics);
  for (const Object& object : objects) {
    for (const Reference& reference : references) {
      if (std::ranges::find(reference.from, object.kind) != reference.from.end()) {
        check.check(object, reference);
      }
    }
  }
}

}  // namespace slipway::kubernetes
