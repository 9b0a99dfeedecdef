// Finds the names of modules, variables and groups in a blueprint.
#include "launcher/editor/names.h"

#include <algorithm>
#include <set>

#include "launcher/expression/expression.h"
#include "launcher/expression/notation.h"

namespace slipway::editor {
namespace {

using expression::Traversal;
using source::Entry;
using source::Node;
using source::Span;

class NameFinder {
 public:
  explicit NameFinder(const source::Sources& sources) : sources_(sources), ignored_(sources) {}

  std::vector<Occurrence> find(const Node& root) {
    if (const Node* vars = root.find("vars")) {
      for (const Entry& entry : vars->entries) {
        add(NameKind::variable, entry.key, entry.key_span, true);
      }
    }
    if (const Node* settings = root.find("settings")) {
      for (const Entry& entry : settings->entries) {
        add(NameKind::module, entry.key, entry.key_span, false);
      }
    }
    if (const Node* groups = root.find("deployment_groups")) {
      for (const Node& group : groups->items) this->group(group);
    }
    expressions(root);
    std::ranges::stable_sort(found_, {}, [](const Occurrence& one) { return one.span.begin; });
    return std::move(found_);
  }

 private:
  void group(const Node& node) {
    if (const Node* name = node.find("group")) scalar(NameKind::group, *name, true);
    const Node* modules = node.find("modules");
    if (modules == nullptr) return;
    for (const Node& module : modules->items) {
      if (const Node* id = module.find("id")) scalar(NameKind::module, *id, true);
      for (const char* key : {"use", "depends_on"}) {
        const Node* list = module.find(key);
        if (list == nullptr) continue;
        for (const Node& item : list->items) {
          if (!expression::has_expression(item.text)) scalar(NameKind::module, item, false);
        }
      }
    }
  }

  void scalar(NameKind kind, const Node& node, bool is_definition) {
    if (node.is_scalar() && !node.is_null()) add(kind, node.text, node.span, is_definition);
  }

  void expressions(const Node& node) {
    for (const Node& item : node.items) expressions(item);
    for (const Entry& entry : node.entries) expressions(entry.value);
    if (!node.is_scalar() || !expression::has_expression(node.text)) return;
    const auto read =
        expression::from_yaml(node, expression::NameSyntax::plain, sources_, ignored_);
    expression::for_each_reference(
        read, [this](const Traversal& traversal, Span span) { reference(traversal, span); });
  }

  void reference(const Traversal& traversal, Span span) {
    if (traversal.steps.empty()) return;
    const auto length = static_cast<uint32_t>(traversal.root.size());
    if (traversal.root != "vars") {
      return add(NameKind::module, traversal.root, {span.begin, span.begin + length}, false);
    }
    const expression::Step& step = traversal.steps[0];
    if (step.kind == expression::Step::Kind::attribute) {
      add(NameKind::variable, step.name, step.span, false);
    }
  }

  // Escapes and anchors may make the text another than the name; then there is nothing to edit.
  void add(NameKind kind, const std::string& name, Span span, bool is_definition) {
    const std::string_view text = sources_.text(span);
    const size_t at = text.find(name);
    if (name.empty() || at == text.npos || text.size() > name.size() + 2) return;
    const uint32_t begin = span.begin + static_cast<uint32_t>(at);
    if (!places_.insert(begin).second) return;  // an alias repeats it
    found_.push_back(
        {kind, name, {begin, begin + static_cast<uint32_t>(name.size())}, is_definition});
  }

  const source::Sources& sources_;
  source::Diagnostics ignored_;  // the check reports them
  std::vector<Occurrence> found_;
  std::set<uint32_t> places_;
};

}  // namespace

std::vector<Occurrence> find_names(const Node& root, const source::Sources& sources) {
  return NameFinder(sources).find(root);
}

}  // namespace slipway::editor
