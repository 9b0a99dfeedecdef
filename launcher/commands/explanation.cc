// Traces the value of a setting or a variable: entry points, and the sources that lost.
#include "launcher/commands/explanation.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace slipway::commands {

using blueprint::Module;
using blueprint::Origin;
using blueprint::Setting;
using blueprint::Use;
using expression::ExpressionPtr;
using expression::Traversal;
using expression::Unknown;
using expression::Value;
using source::Span;
using Kind = Step::Kind;

Explainer::Explainer(const source::Diagnostics& diagnostics,
                     const blueprint::Deployment& deployment)
    : sources_(diagnostics.sources()), deployment_(deployment), discarded_(diagnostics.sources()) {}

Explanation Explainer::setting(const Module& module, const std::string& input, const Path& path) {
  followed_.clear();
  asked_ = true;
  Explanation explanation{follow_setting(module, input, path), "", "", {}, {}};
  explanation.lost = lost(module, input);
  if (const auto* found = module.interface ? module.interface->input(input) : nullptr) {
    explanation.type = expression::to_text(found->type);
    explanation.help = found->help;
  }
  return explanation;
}

Explanation Explainer::variable(const std::string& name, const Path& path) {
  followed_.clear();
  asked_ = true;
  Explanation explanation{follow_variable(name, path), "", "", {}, {}};
  const auto reads = [&name](const ExpressionPtr& expression) {
    bool found = false;
    expression::for_each_reference(expression, [&](const Traversal& traversal, Span) {
      const std::string* read = name_after(traversal, 0);
      found = found || (traversal.root == "var" && read != nullptr && *read == name);
    });
    return found;
  };
  for (const auto& [other, variable] : deployment_.variables) {
    if (reads(variable.value)) explanation.readers.push_back("vars." + other);
  }
  for (const blueprint::Group& group : deployment_.groups) {
    for (const Module& module : group.modules) {
      for (const auto& [input, setting] : module.settings) {
        if (reads(setting.value)) explanation.readers.push_back(module.id + "." + input);
      }
    }
  }
  return explanation;
}

const modules::Output* Explainer::output_of(const std::string& id, const std::string& name) const {
  const Module* module = deployment_.find(id).module;
  return module == nullptr || module->interface == nullptr ? nullptr
                                                           : module->interface->output(name);
}

Value Explainer::value_of(const ExpressionPtr& expression) {
  try {
    return evaluation_.evaluate(expression);
  } catch (const expression::ExpressionError&) {  // the compiler has reported it
    return Unknown{expression, {}};
  }
}

// Values known after deployment consist of outputs. A failed evaluation leaves a variable, an
// input, or an output that does not exist.
void Explainer::take(const Value& whole, const Path& path, Step& step) {
  Value value;
  const bool asked = std::exchange(asked_, false);
  try {
    value = part_of(whole, path);
  } catch (const Error&) {  // a default of the type, which its source lacks
    if (asked) throw;
    return;
  }
  if (const auto* unknown = value.as<Unknown>()) {
    expression::for_each_reference(unknown->expression, [&](const Traversal& traversal, Span) {
      const std::string* id = name_after(traversal, 0);
      const std::string* output = name_after(traversal, 1);
      const bool there = traversal.root != "module" ||
                         (id != nullptr && output != nullptr && output_of(*id, *output) != nullptr);
      step.broken = step.broken || traversal.root == "var" || traversal.root == "input" || !there;
    });
  }
  if (!step.broken) step.value = std::move(value);
}

// "in the blueprint", "with --vars": where something is written.
std::string Explainer::where(Span span) const {
  const std::string_view file = sources_.place(span.begin).file;
  if (file.starts_with("--")) return "with --vars";
  if (file == sources_.place(deployment_.blueprint_name_span.begin).file) return "in the blueprint";
  return fmt::format("in `{}`", file);
}

// The other sources with a value for the input, and why each lost.
std::vector<Step> Explainer::lost(const Module& module, const std::string& input) {
  std::vector<Step> lost;
  const auto found = module.settings.find(input);
  const auto* declared = module.interface == nullptr ? nullptr : module.interface->input(input);
  if (found == module.settings.end() || declared == nullptr) return lost;
  const Setting& setting = found->second;
  const bool written = setting.origin == Origin::blueprint;
  for (const Use& use : module.uses) {
    const auto& from = setting.from;
    const bool taken = std::find(from.begin(), from.end(), use.module) != from.end();
    if (taken || input == "labels" || output_of(use.module, input) == nullptr) continue;
    Step step = follow_output(use.module, input);
    step.kind = Kind::used;
    step.place = use.span;
    step.from.clear();
    step.text = written ? fmt::format("`use` of `{}` offers it, but it is written", use.module)
                        : fmt::format("`use` of `{}` offers it, too, but `{}` comes first",
                                      use.module, from.empty() ? std::string() : from.back());
    lost.push_back(std::move(step));
  }
  const auto variable = deployment_.variables.find(input);
  const bool merged = input == "labels";  // merged into every module's labels
  if (variable != deployment_.variables.end() && setting.origin != Origin::variable && !merged) {
    Step step = follow_variable(input);
    step.from.clear();
    step.text = fmt::format("there is a variable of this name, but {}",
                            written ? "the setting is written" : "`use` comes before variables");
    lost.push_back(std::move(step));
  }
  if (input == module.interface->id_input && setting.origin != Origin::module_id) {
    lost.push_back({Kind::module_id, module.id + "." + input, "the module's own id", module.id_span,
                    Value(module.id)});
  }
  if (!declared->required) {
    lost.push_back({Kind::standard, module.id + "." + input, "the module's default", declared->span,
                    declared->default_value});
  }
  return lost;
}

}  // namespace slipway::commands
