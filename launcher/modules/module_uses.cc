// Finds where a module file uses an input.
#include "launcher/modules/module_uses.h"

#include <functional>

namespace slipway::modules {
namespace {

using expression::ExpressionPtr;

void for_each_expression(const Interface& interface,
                         const std::function<void(const ExpressionPtr&)>& visit) {
  for (const Output& output : interface.outputs) visit(output.value);
  for (const Rule& rule : interface.rules) visit(rule.that);
  for (const auto& [name, local] : interface.locals) visit(local);
  if (interface.resources) {
    for (const Resource& resource : *interface.resources) {
      visit(resource.when);
      visit(resource.for_each);
      visit(resource.body);
    }
  }
  visit(interface.packer_template);
  visit(interface.model);
}

}  // namespace

std::set<size_t> lines_that_use(const std::string& input, const Interface& interface,
                                const source::Sources& sources) {
  std::set<size_t> lines;
  const auto take = [&](const expression::Traversal& traversal, Span span) {
    const bool is_input = traversal.root == "input" || traversal.root == "given";
    if (!is_input || traversal.steps.empty() || traversal.steps[0].name != input) return;
    if (span) lines.insert(sources.place(span.begin).line);
  };
  for_each_expression(interface, [&](const ExpressionPtr& expression) {
    if (expression) expression::for_each_reference(expression, take);
  });
  return lines;
}

bool is_own(const source::Node* entry) {
  const source::Node* own = entry == nullptr ? nullptr : entry->find("own");
  return own != nullptr && own->is_scalar() && own->text == "true";
}

std::set<std::string> own_inputs(source::Span file, const source::Sources& sources) {
  source::Diagnostics reported(sources);
  std::set<std::string> names;
  const auto root = source::read_yaml(file, sources, reported);
  const source::Node* inputs = root ? root->find("inputs") : nullptr;
  if (inputs == nullptr) return names;
  for (const source::Entry& entry : inputs->entries) {
    if (is_own(&entry.value)) names.insert(entry.key);
  }
  return names;
}

bool same_default(const Input& ours, const Input& theirs) {
  if (!theirs.default_value.is_known()) return true;
  std::vector<expression::Mismatch> mismatches;
  const expression::Value value = expression::convert(ours.default_value, theirs.type, mismatches);
  return mismatches.empty() && value == theirs.default_value;
}

}  // namespace slipway::modules
