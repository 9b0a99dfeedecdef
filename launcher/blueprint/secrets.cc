// Finds secret values.
#include "launcher/blueprint/secrets.h"

#include <algorithm>

namespace slipway::blueprint {
namespace {

using expression::ExpressionPtr;
using expression::Traversal;
using source::Span;

class Inputs {
 public:
  explicit Inputs(const modules::Interface& interface) : interface_(interface) {}

  void collect(const ExpressionPtr& expression) {
    expression::for_each_reference(expression, [&](const Traversal& traversal, Span) {
      if (traversal.steps.empty()) return;
      const std::string& name = traversal.steps[0].name;
      if (!seen_.insert(traversal.root + "." + name).second) return;
      if (traversal.root == "input" && interface_.input(name) != nullptr) {
        names.insert(name);
      } else if (traversal.root == "local") {
        const auto local = interface_.locals.find(name);
        if (local != interface_.locals.end()) collect(local->second);
      } else if (traversal.root == "output") {
        const auto* output = interface_.output(name);
        if (output != nullptr && output->value) collect(output->value);
      }
    });
  }

  std::set<std::string> names;

 private:
  const modules::Interface& interface_;
  std::set<std::string> seen_;
};

}  // namespace

std::set<std::string> inputs_used_by(const modules::Interface& interface,
                                     const ExpressionPtr& expression) {
  Inputs inputs(interface);
  inputs.collect(expression);
  return std::move(inputs.names);
}

// Ignores variables, which cannot depend on outputs.
bool Secrets::in(const ExpressionPtr& expression) {
  bool found = false;
  expression::for_each_reference(expression, [&](const Traversal& traversal, Span) {
    if (traversal.root != "module" || traversal.steps.size() < 2) return;
    found = found || output(traversal.steps[0].name, traversal.steps[1].name);
  });
  return found;
}

bool Secrets::output(const std::string& id, const std::string& name) {
  // A recursive query of the same output adds nothing.
  const auto [entry, fresh] = known_.emplace(id + "." + name, false);
  if (!fresh) return entry->second;
  const Module* module = deployment_.find(id).module;
  const auto* declared =
      module == nullptr || module->interface == nullptr ? nullptr : module->interface->output(name);
  if (declared == nullptr) return false;
  bool secret = declared->sensitive;
  if (!secret && declared->value) {
    const std::set<std::string> inputs = inputs_used_by(*module->interface, declared->value);
    secret = std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
      const auto setting = module->settings.find(input);
      return setting != module->settings.end() && in(setting->second.value);
    });
  }
  return entry->second = secret;
}

}  // namespace slipway::blueprint
