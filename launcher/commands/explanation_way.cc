// Follows a value back, step by step.
#include <fmt/core.h>

#include <set>

#include "common/text.h"
#include "launcher/commands/explanation.h"

namespace slipway::commands {

using blueprint::Module;
using blueprint::Origin;
using blueprint::Setting;
using blueprint::Use;
using expression::ExpressionPtr;
using expression::Literal;
using expression::Traversal;
using expression::Value;
using source::Span;
using Kind = Step::Kind;

namespace {

// Whether the value itself says everything, as for a literal.
bool is_plain(const ExpressionPtr& expression) {
  bool plain = expression->as<expression::Call>() == nullptr;
  expression::for_each_reference(expression, [&](const Traversal&, Span) { plain = false; });
  return plain;
}

// ", as `var.zone`": an expression, unless it is too long for a line.
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
  // A step to many elements, or to an unknown one, ends the path.
  return plain.size() < own ? plain : all;
}

// After the first output, more settings than this are counted, not followed.
constexpr size_t few = 3;

}  // namespace

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
      add_replaced(setting.replaced, step);
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
    if (number == nullptr || output_of(used, input) == nullptr) break;
    const Value& given = evaluation_.output(*deployment_.find(used).module, input);
    const auto* list = given.as<Value::List>();
    if (given.is_unknown()) {  // its number of elements is unknown
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
  Step source = follow_output(used, output, path);
  Step step;
  step.kind = Kind::used;
  step.name = module.id + "." + output;
  step.text = fmt::format("`use` of `{}` gives its output `{}`", used, output);
  for (const Use& use : module.uses) {
    if (use.module == used && !step.place) step.place = use.span;
  }
  step.value = source.value;
  step.broken = source.broken;
  step.secret = source.secret;
  step.from.push_back(std::move(source));
  return step;
}

Step Explainer::follow_output(const std::string& id, const std::string& output, const Path& path) {
  Step step;
  step.kind = Kind::output;
  step.name = id + "." + output + path_text(path);
  const Module* module = deployment_.find(id).module;
  const modules::Output* declared = output_of(id, output);
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
  // Labels without a place in the blueprint are Slipway's own.
  step.text = variable.span ? fmt::format("set {}", where(variable.span))
                            : "made from the names of the blueprint and the deployment";
  if (variable.span && !is_plain(written)) step.text += in_words(written);
  if (followed_.insert(step.name).second) follow_references(written, rest, step);
  add_replaced(variable.replaced, step);
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
  for (const std::string& name : blueprint::inputs_used_by(*module.interface, expression)) {
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

// The line of each, the last one first.
void Explainer::add_replaced(const std::vector<Span>& replaced, Step& step) const {
  for (auto span = replaced.rbegin(); span != replaced.rend(); ++span) {
    if (!*span) continue;
    const source::Place place = sources_.place(span->begin);
    std::string_view line = trim(place.line_text.substr(place.byte));
    Step before;
    before.kind = Kind::replaced;
    before.name = step.name;
    before.text = fmt::format("instead of `{}` {}", line.size() > 60 ? sources_.text(*span) : line,
                              where(*span));
    before.place = *span;
    step.from.push_back(std::move(before));
  }
}

}  // namespace slipway::commands
