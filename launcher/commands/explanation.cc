// Why a setting or a variable has its value.
#include "launcher/commands/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace slipway::commands {

using blueprint::Module;
using blueprint::Origin;
using blueprint::Setting;
using blueprint::Use;
using expression::ExpressionPtr;
using expression::Literal;
using expression::Traversal;
using expression::Unknown;
using expression::Value;
using source::Span;
using Kind = Step::Kind;

namespace {

const std::string* name_after(const Traversal& traversal, size_t step) {
  if (traversal.steps.size() <= step) return nullptr;
  const expression::Step& found = traversal.steps[step];
  return found.kind == expression::Step::Kind::attribute ? &found.name : nullptr;
}

const modules::Output* output_of(const Module* module, const std::string& name) {
  return module == nullptr || module->interface == nullptr ? nullptr
                                                           : module->interface->output(name);
}

// A literal needs no other words than its value.
bool is_plain(const ExpressionPtr& expression) {
  bool plain = expression->as<expression::Call>() == nullptr;
  expression::for_each_reference(expression, [&](const Traversal&, Span) { plain = false; });
  return plain;
}

// ", as `var.zone`": an expression, unless it is too long to be read in a line.
std::string in_words(const ExpressionPtr& expression) {
  const std::string hcl = expression::to_hcl(*expression);
  return hcl.size() > 60 || hcl.find('\n') != hcl.npos ? "" : ", as `" + hcl + "`";
}

// Where the steps of a traversal from `begin` on, and then `path`, lead.
Path path_behind(const Traversal& traversal, size_t begin, const Path& path) {
  Path all(traversal.steps.begin() + static_cast<std::ptrdiff_t>(begin), traversal.steps.end());
  const size_t own = all.size();
  all.insert(all.end(), path.begin(), path.end());
  Path plain = plain_part(all);
  // What lies behind a step that leads to many, or to one that is not known, is not found.
  return plain.size() < own ? plain : all;
}

// Behind the first output, more settings than these are only counted.
constexpr size_t few = 3;

}  // namespace

Explainer::Explainer(const source::Diagnostics& diagnostics,
                     const blueprint::Deployment& deployment)
    : sources_(diagnostics.sources()), deployment_(deployment), heard_(diagnostics.sources()) {}

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

Value Explainer::value_of(const ExpressionPtr& expression) {
  try {
    return evaluation_.evaluate(expression);
  } catch (const expression::ExpressionError&) {  // the compiler has said it
    return Unknown{expression, {}};
  }
}

// What deployment will tell is made of outputs. An evaluation that fails leaves a variable, an
// input, or an output that does not exist.
void Explainer::take(const Value& whole, const Path& path, Step& step) {
  Value value;
  const bool asked = std::exchange(asked_, false);
  try {
    value = part_of(whole, path);
  } catch (const Error&) {  // a default of the type, which what it is made from lacks
    if (asked) throw;
    return;
  }
  if (const auto* unknown = value.as<Unknown>()) {
    expression::for_each_reference(unknown->expression, [&](const Traversal& traversal, Span) {
      const std::string* id = name_after(traversal, 0);
      const std::string* output = name_after(traversal, 1);
      const bool there = traversal.root != "module" ||
                         (id != nullptr && output != nullptr &&
                          output_of(deployment_.find(*id).module, *output) != nullptr);
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

Step Explainer::follow_setting(const Module& module, const std::string& input, const Path& path) {
  Step step;
  step.name = module.id + "." + input + path_text(path);
  const auto* declared = module.interface == nullptr ? nullptr : module.interface->input(input);
  const auto found = module.settings.find(input);
  if (declared != nullptr && (found != module.settings.end() || !declared->required)) {
    take(evaluation_.input(module, input), path, step);
  } else if (found != module.settings.end()) {
    take(value_of(found->second.value), path, step);
  }
  if (found == module.settings.end()) {
    step.kind = declared != nullptr && !declared->required ? Kind::standard : Kind::missing;
    step.place = step.kind == Kind::standard ? declared->span : module.id_span;
    step.text = step.kind == Kind::standard ? "the module's default"
                                            : "nothing sets it, and it must be set";
    return step;
  }
  const Setting& setting = found->second;
  step.place = setting.span;
  step.secret = secrets_.in(setting.value);
  const bool again = !followed_.insert(step.name).second;
  switch (setting.origin) {
    case Origin::blueprint: {
      Path rest = path;
      const ExpressionPtr written = part_of(setting.value, rest);
      if (written != setting.value && written->span) step.place = written->span;
      step.kind = Kind::written;
      step.text = fmt::format("written {}", where(setting.span));
      if (!rest.empty() && written->as<expression::ObjectExpression>() != nullptr) {
        step.text = "a default of the type, for what is " + step.text;
      }
      if (!is_plain(written)) step.text += in_words(written);
      if (!again) follow_references(written, rest, step);
      break;
    }
    case Origin::used:
      follow_uses(module, input, setting, path, step);
      break;
    case Origin::variable: {
      Step way = follow_variable(input, path);
      way.text = fmt::format("the variable of the same name, {}", way.text);
      way.name = std::move(step.name);
      way.value = std::move(step.value);
      way.broken = step.broken;
      step = std::move(way);
      break;
    }
    case Origin::module_id:
      step.kind = Kind::module_id;
      step.text = "the module's own id";
      break;
    case Origin::computed:
      step.kind = Kind::computed;
      step.text = "computed from what is set here";
      break;
  }
  return step;
}

// The elements of a list come from the modules in turn.
void Explainer::follow_uses(const Module& module, const std::string& input, const Setting& setting,
                            Path path, Step& step) {
  std::vector<std::string> from = setting.from;
  const auto* index = path.empty() || !path[0].key ? nullptr : path[0].key->as<Literal>();
  const auto* number = index == nullptr ? nullptr : index->value.as<Value::Number>();
  size_t left = number == nullptr ? 0 : static_cast<size_t>(*number);
  for (const std::string& used : setting.from) {
    if (number == nullptr || output_of(deployment_.find(used).module, input) == nullptr) break;
    const Value& given = evaluation_.output(*deployment_.find(used).module, input);
    const auto* list = given.as<Value::List>();
    if (given.is_unknown()) {  // how many elements it gives
      path.clear();
      break;
    }
    const size_t count = list == nullptr ? 1 : list->size();
    if (left < count) {
      from = {used};
      if (list == nullptr) {
        path.erase(path.begin());
      } else {
        path[0].key = expression::make({}, Literal{Value(static_cast<Value::Number>(left))});
      }
      break;
    }
    left -= count;
  }
  if (from.size() == 1) {
    Step way = follow_use(module, from[0], input, path);
    way.name = std::move(step.name);
    way.value = std::move(step.value);
    way.broken = step.broken;
    step = std::move(way);
    return;
  }
  step.kind = Kind::joined;
  step.text =
      fmt::format("a list, joined from {} modules of `use`, the last one first", from.size());
  step.place = {};
  for (const std::string& used : from) step.from.push_back(follow_use(module, used, input, {}));
}

Step Explainer::follow_use(const Module& module, const std::string& used, const std::string& output,
                           const Path& path) {
  Step behind = follow_output(used, output, path);
  Step step;
  step.kind = Kind::used;
  step.name = module.id + "." + output;
  step.text = fmt::format("`use` of `{}` gives its output `{}`", used, output);
  for (const Use& use : module.uses) {
    if (use.module == used && !step.place) step.place = use.span;
  }
  step.value = behind.value;
  step.broken = behind.broken;
  step.secret = behind.secret;
  step.from.push_back(std::move(behind));
  return step;
}

Step Explainer::follow_output(const std::string& id, const std::string& output, const Path& path) {
  Step step;
  step.kind = Kind::output;
  step.name = id + "." + output + path_text(path);
  const Module* module = deployment_.find(id).module;
  const modules::Output* declared = output_of(module, output);
  if (declared == nullptr) {
    step.kind = Kind::missing;
    step.text = module == nullptr ? fmt::format("there is no module `{}`", id)
                : module->interface == nullptr
                    ? fmt::format("nothing is known of `{}`", module->source)
                    : fmt::format("`{}` has no output `{}`", module->source, output);
    step.place = module == nullptr ? Span() : module->id_span;
    return step;
  }
  step.place = declared->span;
  step.secret = secrets_.output(id, output);
  take(evaluation_.output(*module, output), path, step);
  if (!declared->value) {
    step.text = "an output";
    return step;
  }
  Path rest = path;
  const ExpressionPtr written = part_of(declared->value, rest);
  if (written->span && written != declared->value) step.place = written->span;
  step.text = "an output" + (is_plain(written) ? std::string() : in_words(written));
  if (followed_.insert("output " + step.name).second) follow_inputs(*module, written, rest, step);
  return step;
}

Step Explainer::follow_variable(const std::string& name, const Path& path) {
  Step step;
  step.kind = Kind::variable;
  step.name = "vars." + name + path_text(path);
  const auto found = deployment_.variables.find(name);
  if (found == deployment_.variables.end()) {
    step.kind = Kind::missing;
    step.text = fmt::format("there is no variable `{}`", name);
    return step;
  }
  const blueprint::Variable& variable = found->second;
  step.place = variable.span;
  take(evaluation_.variable(name), path, step);
  Path rest = path;
  const ExpressionPtr written = part_of(variable.value, rest);
  if (written != variable.value && written->span) step.place = written->span;
  // Labels that nobody wrote are Slipway's own.
  step.text = variable.span ? fmt::format("set {}", where(variable.span))
                            : "made from the names of the blueprint and the deployment";
  if (variable.span && !is_plain(written)) step.text += in_words(written);
  if (followed_.insert(step.name).second) follow_references(written, rest, step);
  return step;
}

void Explainer::follow_references(const ExpressionPtr& expression, const Path& path, Step& step) {
  std::set<std::string> seen;
  const bool alone = expression->as<Traversal>() != nullptr;
  expression::for_each_reference(expression, [&](const Traversal& traversal, Span) {
    const std::string* first = name_after(traversal, 0);
    const std::string* second = name_after(traversal, 1);
    const bool is_variable = traversal.root == "var" && first != nullptr;
    if (!is_variable && (traversal.root != "module" || second == nullptr)) return;
    const Path part = path_behind(traversal, is_variable ? 1 : 2, alone ? path : Path());
    const std::string name = *first + (is_variable ? "" : "." + *second) + path_text(part);
    if (!seen.insert(traversal.root + name).second) return;
    step.from.push_back(is_variable ? follow_variable(*first, part)
                                    : follow_output(*first, *second, part));
  });
}

void Explainer::follow_inputs(const Module& module, const ExpressionPtr& expression,
                              const Path& path, Step& step) {
  const auto* alone = expression->as<Traversal>();
  const std::string* input =
      alone != nullptr && alone->root == "input" ? name_after(*alone, 0) : nullptr;
  if (input != nullptr && module.interface->input(*input) != nullptr) {
    step.from.push_back(follow_setting(module, *input, path_behind(*alone, 1, path)));
    return;
  }
  std::vector<std::string> set;
  for (const std::string& name : inputs_behind(*module.interface, expression)) {
    if (module.settings.contains(name)) {
      set.push_back(name);
    } else {
      ++step.defaults;
    }
  }
  if (outputs_ > 0 && set.size() > few) {
    step.untold = set.size();
    return;
  }
  ++outputs_;
  for (const std::string& name : set) step.from.push_back(follow_setting(module, name));
  --outputs_;
}

// Everything else that has a value for the input, and why it does not count.
std::vector<Step> Explainer::lost(const Module& module, const std::string& input) {
  std::vector<Step> lost;
  const auto found = module.settings.find(input);
  const auto* declared = module.interface == nullptr ? nullptr : module.interface->input(input);
  if (found == module.settings.end() || declared == nullptr) return lost;
  const Setting& setting = found->second;
  const bool written = setting.origin == Origin::blueprint;
  for (const Use& use : module.uses) {
    const Module* used = deployment_.find(use.module).module;
    const auto& from = setting.from;
    const bool taken = std::find(from.begin(), from.end(), use.module) != from.end();
    if (taken || input == "labels" || output_of(used, input) == nullptr) continue;
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
  const bool merged = input == "labels";  // theirs are in every module's
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
