// Evaluation: templates, and both forms of `for`.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "launcher/expression/budget.h"
#include "launcher/expression/evaluator.h"

namespace slipway::expression {

using List = Value::List;
using Object = Value::Object;
using Number = Value::Number;

Value Evaluator::value_of(const Template& node) {
  const bool directive = node.parts.size() == 1 && (node.parts[0]->as<TemplateIf>() != nullptr ||
                                                    node.parts[0]->as<TemplateFor>() != nullptr);
  if (node.parts.size() == 1 && !directive) return evaluate(*node.parts[0]);
  std::vector<std::pair<Value, Span>> parts;
  for (const ExpressionPtr& part : node.parts) parts.emplace_back(evaluate(*part), part->span);
  return joined(parts);
}

// The parts joined to a string, or a template if one of them is unknown.
Value Evaluator::joined(const std::vector<std::pair<Value, Span>>& parts) {
  std::string text;
  bool known = true;
  bool sensitive = false;
  for (const auto& [value, span] : parts) {
    sensitive = sensitive || value.is_sensitive();
    if (value.is_unknown()) {
      known = false;
    } else if (const auto shown = text_of(value)) {
      spend_text(text.size() + shown->size());
      text += *shown;
    } else {
      fail(span, fmt::format("{} cannot be used in a string", describe(value)));
    }
  }
  if (known) return marked(Value(std::move(text)), sensitive);
  Template left;
  for (const auto& [value, span] : parts) {
    ExpressionPtr part = to_expression(value, span);
    if (const auto* inner = part->as<Template>(); inner && parts.size() + inner->parts.size() > 2) {
      left.parts.insert(left.parts.end(), inner->parts.begin(), inner->parts.end());
    } else {
      left.parts.push_back(std::move(part));
    }
  }
  return unknown(std::move(left));
}

Value Evaluator::value_of(const TemplateIf& node) {
  const Value condition = evaluate(*node.condition);
  if (condition.is_unknown()) {
    return unknown(TemplateIf{to_expression(condition), partly(node.yes), partly(node.no)});
  }
  const ExpressionPtr& taken = boolean(condition, node.condition->span) ? node.yes : node.no;
  if (!taken) return marked(Value(""), condition.sensitive);
  return marked(joined({{evaluate(*taken), taken->span}}), condition.sensitive);
}

Value Evaluator::value_of(const TemplateFor& node) {
  const Value collection = evaluate(*node.collection);
  if (collection.is_unknown() || has_unknown_size(collection)) {
    TemplateFor left{printed_name(node.key_name), printed_name(node.value_name),
                     to_expression(collection), nullptr};
    Names names(*this);
    names.add(node.key_name, Unknown{reference(left.key_name, {}), {}}, left.key_name);
    names.add(node.value_name, Unknown{reference(left.value_name, {}), {}}, left.value_name);
    left.body = partly(node.body);
    return unknown(std::move(left));
  }
  std::vector<std::pair<Value, Span>> parts;
  for (auto& [key, value] : members(collection, node.collection->span)) {
    Names names(*this);
    names.add(node.key_name, std::move(key));
    names.add(node.value_name, std::move(value));
    parts.emplace_back(evaluate(*node.body), node.body->span);
  }
  return marked(joined(parts), collection.sensitive);
}

// Keys and values, in the order in which `for` visits them.
std::vector<std::pair<Value, Value>> Evaluator::members(const Value& collection, Span span) const {
  spend_value(collection);
  std::vector<std::pair<Value, Value>> out;
  if (const auto* items = collection.as<List>()) {
    for (size_t i = 0; i < items->size(); ++i) {
      const Value& item = (*items)[i];
      out.emplace_back(collection.is_set() ? item : Value(static_cast<Number>(i)), item);
    }
  } else if (const auto* object = collection.as<Object>()) {
    for (const auto& [key, member] : *object) out.emplace_back(Value(key), member);
  } else {
    fail(span, fmt::format("{} has no elements", describe(collection)));
  }
  return out;
}

Value Evaluator::value_of(const For& node) {
  const Value collection = evaluate(*node.collection);
  if (collection.is_unknown() || has_unknown_size(collection)) return unexpanded(node, collection);
  List list;
  Object object;
  bool sensitive = collection.sensitive;
  for (auto& [key, value] : members(collection, node.collection->span)) {
    Names names(*this);
    names.add(node.key_name, std::move(key));
    names.add(node.value_name, std::move(value));
    if (node.condition) {
      const Value condition = evaluate(*node.condition);
      if (condition.is_unknown()) return unexpanded(node, collection);
      sensitive = sensitive || condition.sensitive;
      if (!boolean(condition, node.condition->span)) continue;
    }
    if (!node.result_key) {
      list.push_back(evaluate(*node.result));
      continue;
    }
    const Value result_key = evaluate(*node.result_key);
    if (result_key.is_unknown()) return unexpanded(node, collection);
    sensitive = sensitive || result_key.sensitive;
    const std::string name = key_text(result_key, node.result_key->span);
    const auto [member, fresh] = object.try_emplace(name, List{});
    if (node.grouped) {
      member->second.edit<List>()->push_back(evaluate(*node.result));
    } else if (fresh) {
      member->second = evaluate(*node.result);
    } else {
      fail(node.result_key->span, fmt::format("two results have the key `{}`", name),
           "put `...` after the result to list all results of a key");
    }
  }
  Value result = node.result_key ? Value(std::move(object)) : Value(std::move(list));
  spend_value(result);
  return marked(std::move(result), sensitive);
}

// A `for` whose items are known only after deployment: its body is evaluated as far as possible.
Value Evaluator::unexpanded(const For& node, const Value& collection) {
  For left = node;
  left.collection = to_expression(collection);
  left.key_name = printed_name(node.key_name);
  left.value_name = printed_name(node.value_name);
  Names names(*this);
  names.add(node.key_name, Unknown{reference(left.key_name, {}), {}}, left.key_name);
  names.add(node.value_name, Unknown{reference(left.value_name, {}), {}}, left.value_name);
  left.result_key = partly(node.result_key);
  left.result = partly(node.result);
  left.condition = partly(node.condition);
  return unknown(std::move(left));
}

// A name that no enclosing printed `for` binds, since a reference to an outer name may be printed
// inside this `for`.
std::string Evaluator::printed_name(const std::string& name) const {
  std::string fresh = name;
  const auto taken = [&](const Local& local) { return local.printed == fresh; };
  for (int i = 2; !name.empty() && std::any_of(locals_.begin(), locals_.end(), taken); ++i) {
    fresh = fmt::format("{}_{}", name, i);
  }
  return fresh;
}

}  // namespace slipway::expression
