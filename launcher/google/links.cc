// Translates references to outputs from the blueprint to Terraform.
#include "launcher/google/links.h"

#include <fmt/core.h>

#include "common/text.h"
#include "launcher/modules/becomes.h"

namespace slipway::google {
namespace {

using blueprint::Module;
using expression::ExpressionPtr;
using expression::Step;
using expression::Traversal;
using expression::Unknown;
using expression::Value;

// The part of the value to which a step leads; nullptr if it does not exist or is unknown.
const Value* part(const Value& value, const Step& step) {
  std::string key = step.name;
  if (step.kind == Step::Kind::index) {
    const auto* literal = step.key->as<expression::Literal>();
    const auto text = literal == nullptr ? std::nullopt : expression::text_of(literal->value);
    if (!text) return nullptr;
    key = *text;
  } else if (step.kind != Step::Kind::attribute) {
    return nullptr;
  }
  if (const auto* object = value.as<Value::Object>()) {
    const auto member = object->find(key);
    return member == object->end() ? nullptr : &member->second;
  }
  const auto* list = value.as<Value::List>();
  const auto index = to_number<size_t>(key);
  return list == nullptr || !index || *index >= list->size() ? nullptr : &(*list)[*index];
}

// A value can double in size at every module that passes it on.
constexpr size_t largest_expression = 100'000;
constexpr size_t deepest_value = 1000;

[[noreturn]] void too_much() {
  throw expression::ExpressionError(source::Code::cannot_evaluate, {},
                                    "the expression for this is too large");
}

struct Depth {
  explicit Depth(size_t& depth) : depth(depth) { ++depth; }
  ~Depth() { --depth; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  size_t& depth;
};

}  // namespace

Links::Links(const blueprint::Deployment& deployment, blueprint::Evaluation& evaluation,
             source::Diagnostics& diagnostics)
    : deployment_(deployment),
      evaluation_(evaluation),
      diagnostics_(diagnostics),
      variables_(deployment.groups.size()),
      wanted_(deployment.groups.size()) {}

Value Links::resolve(Value value, size_t group) {
  if (value.is_known()) return value;
  if (const auto* unknown = value.as<Unknown>()) {
    const auto change = [&](const Traversal& traversal, source::Span) {
      return linked(traversal, group);
    };
    ExpressionPtr linked = expression::rewrite(unknown->expression, change);
    if (linked->nodes > largest_expression) too_much();
    value.data = Unknown{std::move(linked), {}};
  } else if (auto* list = value.edit<Value::List>()) {
    for (Value& item : *list) item = resolve(std::move(item), group);
  } else if (auto* object = value.edit<Value::Object>()) {
    for (auto& [name, member] : *object) member = resolve(std::move(member), group);
  }
  return value;
}

const Value& Links::output(const Module& module, const std::string& name) {
  const auto [entry, fresh] = outputs_.try_emplace({&module, name});
  if (!fresh) return entry->second;
  if (depth_ >= deepest_value) too_much();
  const Depth deeper(depth_);
  const modules::Output& output = *module.interface->output(name);
  if (modules::is_called(*module.interface) || !output.value) {
    entry->second = Unknown{expression::reference("module", {module.id, name}), {}};
  } else {
    Value value = evaluation_.evaluate_in(module, output.value);
    entry->second = resolve(std::move(value), deployment_.find(module.id).group);
  }
  return entry->second;
}

// Null: the reference stays unchanged.
ExpressionPtr Links::linked(const Traversal& traversal, size_t group) {
  if (traversal.root != "module" || traversal.steps.size() < 2) return nullptr;
  const auto [module, made_in] = deployment_.find(traversal.steps[0].name);
  const std::string& name = traversal.steps[1].name;
  if (module == nullptr || module->interface == nullptr ||
      module->interface->output(name) == nullptr) {
    return nullptr;
  }
  const auto rest = [&](size_t from) {
    std::vector<Step> steps(traversal.steps.begin() + static_cast<std::ptrdiff_t>(from),
                            traversal.steps.end());
    for (Step& step : steps) {
      if (step.key) step.key = to_expression(resolve(Unknown{step.key, {}}, group));
    }
    return steps;
  };
  if (made_in != group) {
    const std::string between = name + "_" + module->id;
    need({module, name, made_in}, between, group);
    return stepped(expression::reference("var", {between}), rest(2));
  }
  if (modules::is_called(*module->interface)) return nullptr;
  const Value* value = &output(*module, name);
  size_t at = 2;
  while (at < traversal.steps.size() && !value->is_unknown()) {
    const Value* next = part(*value, traversal.steps[at]);
    if (next == nullptr) break;
    value = next;
    ++at;
  }
  const ExpressionPtr base = to_expression(*value);
  return at == traversal.steps.size() ? base : stepped(base, rest(at));
}

void Links::need(const Output& output, const std::string& between_groups, size_t group) {
  const auto [entry, fresh] = variables_[group].emplace(between_groups, output);
  if (entry->second.module != output.module || entry->second.name != output.name) {
    diagnostics_
        .error(source::Code::duplicate_id, output.module->id_span,
               fmt::format("output `{}` of module `{}` and output `{}` of module `{}` both become "
                           "`{}` between groups",
                           entry->second.name, entry->second.module->id, output.name,
                           output.module->id, between_groups))
        .other(entry->second.module->id_span, "the other module");
  }
  wanted_[output.group].emplace(between_groups, output);
}

}  // namespace slipway::google
