// Evaluation: names, and steps into their values.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "launcher/expression/budget.h"
#include "launcher/expression/evaluator.h"
#include "launcher/source/diagnostics.h"

namespace slipway::expression {

using List = Value::List;
using Object = Value::Object;
using Number = Value::Number;

Value Evaluator::value_of(const Traversal& node) {
  const auto is_computed = [](const Step& step) {
    return step.key && step.key->as<Literal>() == nullptr;
  };
  if (std::ranges::none_of(node.steps, is_computed)) return value_with_keys(node);
  // Evaluate the keys first, since they may contain names that a `for` binds.
  Traversal traversal = node;
  for (Step& step : traversal.steps) {
    if (is_computed(step)) step.key = to_expression(evaluate(*step.key), step.key->span);
  }
  return value_with_keys(traversal);
}

// The value of a traversal whose keys are literals.
Value Evaluator::value_with_keys(const Traversal& traversal) {
  const Steps& steps = traversal.steps;
  const auto from = [&](const Value& value, size_t begin) {
    Value result = walk(value, steps, begin, steps.size());
    spend_value(result);
    return result;
  };
  if (traversal.base) return from(evaluate(*traversal.base), 0);
  if (const Local* local = find_local(traversal.root)) return from(local->value, 0);
  Scope::Found found = scope_.find(traversal, span_);
  if (found.kept != nullptr) return from(*found.kept, found.steps);
  if (found.steps == steps.size()) {
    spend_value(found.value);
    return std::move(found.value);
  }
  return from(found.value, found.steps);
}

// Follows the steps from `at` to before `end`.
Value Evaluator::walk(const Value& from, const Steps& steps, size_t at, size_t end) {
  const Value* value = &from;
  bool sensitive = false;
  const auto rest = [&] {
    return Steps(steps.begin() + static_cast<std::ptrdiff_t>(at),
                 steps.begin() + static_cast<std::ptrdiff_t>(end));
  };
  for (; at < end; ++at) {
    const Step& step = steps[at];
    sensitive = sensitive || value->sensitive;
    const bool is_splat =
        step.kind == Step::Kind::splat || step.kind == Step::Kind::attribute_splat;
    if (value->is_unknown() || (is_splat && has_unknown_size(*value))) {
      return marked(unknown(stepped(to_expression(*value), rest(), span_)), sensitive);
    }
    if (is_splat) return marked(splat(*value, steps, at, end), sensitive);
    if (step.kind == Step::Kind::attribute) {
      value = &attribute(*value, step);
      continue;
    }
    const Value key = evaluate(*step.key);
    if (key.is_unknown()) {
      return marked(unknown(stepped(to_expression(*value), rest(), span_)), sensitive);
    }
    sensitive = sensitive || key.sensitive;
    value = &element(*value, key, step);
  }
  return marked(*value, sensitive);
}

// [*] applies all following steps to each member; .* applies only the following attributes to each,
// and the rest to the resulting list.
Value Evaluator::splat(const Value& value, const Steps& steps, size_t at, size_t end) {
  const size_t begin = at + 1;
  size_t stop = end;
  if (steps[at].kind == Step::Kind::attribute_splat) {
    for (stop = begin; stop < end; ++stop) {
      const bool old_index = steps[stop].kind == Step::Kind::index && steps[stop].name == ".";
      if (steps[stop].kind != Step::Kind::attribute && !old_index) break;
    }
  }
  List out;
  if (const auto* list = value.as<List>()) {
    for (const Value& item : *list) {
      out.push_back(walk(item, steps, begin, stop));
      spend_value(out.back());
    }
  } else if (!value.is_null()) {
    out.push_back(walk(value, steps, begin, stop));
  }
  return walk(Value(std::move(out)), steps, stop, end);
}

const Value& Evaluator::attribute(const Value& value, const Step& step) const {
  const auto* object = value.as<Object>();
  if (object == nullptr) {
    const bool list = value.as<List>() != nullptr;
    fail(step.span, fmt::format("{} has no attribute `{}`", describe(value), step.name),
         list ? fmt::format("use `[*].{}` for the attribute of each member", step.name)
              : std::string());
  }
  const auto member = object->find(step.name);
  if (member != object->end()) return member->second;
  std::vector<std::string> names;
  for (const auto& [name, ignored] : *object) names.push_back(name);
  fail(step.span, fmt::format("this object has no attribute `{}`", step.name),
       source::did_you_mean(step.name, names));
}

const Value& Evaluator::element(const Value& value, const Value& key, const Step& step) const {
  if (const auto* object = value.as<Object>()) {
    const std::string name = key_text(key, step.span);
    const auto member = object->find(name);
    if (member != object->end()) return member->second;
    std::vector<std::string> names;
    for (const auto& [other, ignored] : *object) names.push_back(other);
    fail(step.span, fmt::format("this object has no key `{}`", name),
         source::did_you_mean(name, names));
  }
  const auto* list = value.as<List>();
  if (list == nullptr) fail(step.span, fmt::format("{} has no elements", describe(value)));
  if (value.is_set()) {
    fail(step.span, "a set has no order, so it has no index", "convert it to a list with tolist()");
  }
  const auto index = number_of(key);
  if (!index || std::nearbyint(*index) != *index || *index < 0 ||
      *index >= static_cast<Number>(list->size())) {
    fail(step.span, fmt::format("there is no element [{}] in a list of {}",
                                text_of(key).value_or("?"), list->size()));
  }
  return (*list)[static_cast<size_t>(*index)];
}

}  // namespace slipway::expression
