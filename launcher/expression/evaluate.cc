// Evaluation.
#include "launcher/expression/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "launcher/expression/functions.h"
#include "launcher/source/diagnostics.h"

namespace slipway::expression {
namespace {

using source::Code;
using List = Value::List;
using Object = Value::Object;
using Number = Value::Number;

[[noreturn]] void fail(Span span, const std::string& message, std::string help = {}) {
  throw ExpressionError(Code::cannot_evaluate, span, message, std::move(help));
}

Value unknown(ExpressionPtr expression) {
  return Unknown{std::move(expression), {}};
}

std::optional<Number> number_of(const Value& value) {
  if (const auto* number = value.as<Number>()) return *number;
  if (const auto* text = value.as<std::string>(); text != nullptr && !text->empty()) {
    char* end = nullptr;
    const Number number = std::strtold(text->c_str(), &end);
    if (*end == '\0') return number;
  }
  return std::nullopt;
}

std::optional<bool> bool_of(const Value& value) {
  if (const auto* boolean = value.as<bool>()) return *boolean;
  if (const auto* text = value.as<std::string>()) {
    if (*text == "true") return true;
    if (*text == "false") return false;
  }
  return std::nullopt;
}

// Names lead from one expression into the next, so the depth is counted across evaluators. It is
// far from the end of the stack.
constexpr int depth_limit = 1500;

struct Level {
  Level() { ++depth; }
  ~Level() { --depth; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  static inline thread_local int depth = 0;
};

class Evaluator {
 public:
  explicit Evaluator(const Scope& scope) : scope_(scope) {}

  Value evaluate(const Expression& expression) {
    const Level level;
    if (Level::depth > depth_limit) {
      fail(expression.span ? expression.span : span_, "what this needs is nested too deeply");
    }
    const Span outer = std::exchange(span_, expression.span ? expression.span : span_);
    Value value = std::visit([this](const auto& node) { return value_of(node); }, expression.node);
    span_ = outer;
    return value;
  }

 private:
  Value value_of(const Literal& node) { return node.value; }

  Value value_of(const Template& node) {
    std::string text;
    Template left;
    bool known = true;
    for (const ExpressionPtr& part : node.parts) {
      const Value value = evaluate(*part);
      left.parts.push_back(to_expression(value, part->span));
      if (!value.is_known()) {
        known = false;
      } else if (const auto shown = text_of(value)) {
        text += *shown;
      } else {
        fail(part->span, fmt::format("{} cannot stand in a text", describe(value)));
      }
    }
    return known ? Value(text) : unknown(make(span_, std::move(left)));
  }

  Value value_of(const Traversal& node) {
    size_t begin = 0;
    Value value;
    if (node.base) {
      value = evaluate(*node.base);
    } else if (const Value* local = find_local(node.root)) {
      value = *local;
    } else {
      Scope::Found found = scope_.find(node, span_);
      value = std::move(found.value);
      begin = found.steps;
    }
    return walk(std::move(value), node.steps, begin);
  }

  Value walk(Value value, const std::vector<Step>& steps, size_t at) {
    for (; at < steps.size(); ++at) {
      const Step& step = steps[at];
      if (auto* hidden = value.as<Unknown>()) {
        return unknown(
            make(span_, Traversal{"",
                                  hidden->expression,
                                  {steps.begin() + static_cast<std::ptrdiff_t>(at), steps.end()}}));
      }
      if (step.kind == Step::Kind::splat) {
        List out;
        for (Value& item : splat(value)) out.push_back(walk(std::move(item), steps, at + 1));
        return out;
      }
      value = step.kind == Step::Kind::attribute ? attribute(value, step)
                                                 : element(value, evaluate(*step.key), step);
    }
    return value;
  }

  static List splat(const Value& value) {
    if (const auto* list = value.as<List>()) return *list;
    if (value.is_null()) return {};
    return {value};
  }

  Value attribute(const Value& value, const Step& step) {
    const auto* object = value.as<Object>();
    if (object == nullptr) {
      fail(step.span, fmt::format("{} has no attribute `{}`", describe(value), step.name));
    }
    const auto member = object->find(step.name);
    if (member != object->end()) return member->second;
    std::vector<std::string> names;
    for (const auto& [name, ignored] : *object) names.push_back(name);
    fail(step.span, fmt::format("this object has no attribute `{}`", step.name),
         source::did_you_mean(step.name, names));
  }

  Value element(const Value& value, const Value& key, const Step& step) {
    if (key.is_unknown()) {
      return unknown(make(
          span_,
          Traversal{
              "", to_expression(value), {{Step::Kind::index, "", to_expression(key), step.span}}}));
    }
    if (const auto* object = value.as<Object>()) {
      const auto name = text_of(key);
      const auto member = name ? object->find(*name) : object->end();
      if (member == object->end()) {
        fail(step.span, fmt::format("this object has no key `{}`", name.value_or("")));
      }
      return member->second;
    }
    const auto* list = value.as<List>();
    if (list == nullptr) fail(step.span, fmt::format("{} has no elements", describe(value)));
    const auto index = number_of(key);
    if (!index || std::nearbyint(*index) != *index || *index < 0 ||
        *index >= static_cast<Number>(list->size())) {
      fail(step.span, fmt::format("there is no element [{}] in a list of {}",
                                  text_of(key).value_or("?"), list->size()));
    }
    return (*list)[static_cast<size_t>(*index)];
  }

  Value value_of(const Call& node) {
    const Function* function = find_function(node.function);
    if (function == nullptr && is_terraform_function(node.function)) return left_alone(node);
    if (function == nullptr) {
      throw ExpressionError(Code::unknown_function, node.name_span,
                            fmt::format("there is no function `{}`", node.function),
                            source::did_you_mean(node.function, function_names()));
    }
    List arguments;
    for (const ExpressionPtr& argument : node.arguments) arguments.push_back(evaluate(*argument));
    if (node.spread) {
      const Value last = std::move(arguments.back());
      arguments.pop_back();
      const auto* list = last.as<List>();
      if (list == nullptr) return unknown_call(node, std::move(arguments), &last);
      arguments.insert(arguments.end(), list->begin(), list->end());
    }
    check_count(node, *function, arguments.size());
    if (!function->takes_unknown && !std::all_of(arguments.begin(), arguments.end(),
                                                 [](const Value& v) { return v.is_known(); })) {
      return unknown_call(node, std::move(arguments), nullptr);
    }
    try {
      if (std::optional<Value> value = function->apply(arguments)) return *std::move(value);
    } catch (const std::exception& error) {
      fail(span_, fmt::format("{}(): {}", node.function, error.what()));
    }
    return unknown_call(node, std::move(arguments), nullptr);
  }

  // A function that only Terraform has.
  Value left_alone(const Call& node) {
    Call left{node.function, node.name_span, {}, node.spread};
    for (const ExpressionPtr& argument : node.arguments) {
      left.arguments.push_back(to_expression(evaluate(*argument)));
    }
    return unknown(make(span_, std::move(left)));
  }

  Value unknown_call(const Call& node, List arguments, const Value* spread) {
    Call left{node.function, node.name_span, {}, spread != nullptr};
    for (const Value& value : arguments) left.arguments.push_back(to_expression(value));
    if (spread != nullptr) left.arguments.push_back(to_expression(*spread));
    return unknown(make(span_, std::move(left)));
  }

  void check_count(const Call& node, const Function& function, size_t count) {
    if (count >= function.least && count <= function.most) return;
    fail(span_, fmt::format("{}() does not take {} argument{}", node.function, count,
                            count == 1 ? "" : "s"));
  }

  Value value_of(const Unary& node) {
    const Value value = evaluate(*node.operand);
    if (value.is_unknown()) return unknown(make(span_, Unary{node.sign, to_expression(value)}));
    if (node.sign == '!') return !boolean(value, node.operand->span);
    return -number(value, node.operand->span);
  }

  Value value_of(const Binary& node) {
    const Value left = evaluate(*node.left);
    // What the left side decides, the right one need not: `x == null || x > 1`.
    if (node.op == Operator::or_ && left == Value(true)) return true;
    if (node.op == Operator::and_ && left == Value(false)) return false;
    const Value right = evaluate(*node.right);
    if (!left.is_known() || !right.is_known()) {
      return unknown(make(span_, Binary{node.op, to_expression(left), to_expression(right)}));
    }
    const auto numbers = [&](auto compute) {
      return Value(compute(number(left, node.left->span), number(right, node.right->span)));
    };
    switch (node.op) {
      case Operator::or_:
        return boolean(left, node.left->span) || boolean(right, node.right->span);
      case Operator::and_:
        return boolean(left, node.left->span) && boolean(right, node.right->span);
      case Operator::equal:
        return left == right;
      case Operator::not_equal:
        return !(left == right);
      case Operator::less:
        return numbers([](Number a, Number b) { return a < b; });
      case Operator::less_equal:
        return numbers([](Number a, Number b) { return a <= b; });
      case Operator::greater:
        return numbers([](Number a, Number b) { return a > b; });
      case Operator::greater_equal:
        return numbers([](Number a, Number b) { return a >= b; });
      case Operator::add:
        return numbers([](Number a, Number b) { return a + b; });
      case Operator::subtract:
        return numbers([](Number a, Number b) { return a - b; });
      case Operator::multiply:
        return numbers([](Number a, Number b) { return a * b; });
      case Operator::divide:
      case Operator::modulo:
        break;
    }
    if (number(right, node.right->span) == 0) fail(node.right->span, "division by zero");
    if (node.op == Operator::divide) return numbers([](Number a, Number b) { return a / b; });
    return numbers([](Number a, Number b) { return std::fmod(a, b); });
  }

  Value value_of(const Conditional& node) {
    const Value condition = evaluate(*node.condition);
    if (condition.is_unknown()) {
      return unknown(
          make(span_, Conditional{to_expression(condition), to_expression(evaluate(*node.yes)),
                                  to_expression(evaluate(*node.no))}));
    }
    return evaluate(boolean(condition, node.condition->span) ? *node.yes : *node.no);
  }

  Value value_of(const Parenthesis& node) { return evaluate(*node.inner); }

  Value value_of(const Tuple& node) {
    List list;
    for (const ExpressionPtr& item : node.items) list.push_back(evaluate(*item));
    return list;
  }

  Value value_of(const ObjectExpression& node) {
    Object object;
    for (const ObjectItem& item : node.items) {
      object.insert_or_assign(key_text(evaluate(*item.key), item.key->span), evaluate(*item.value));
    }
    return object;
  }

  Value value_of(const For& node) {
    const Value collection = evaluate(*node.collection);
    if (collection.is_unknown()) {
      For left = node;
      left.collection = to_expression(collection);
      return unknown(make(span_, std::move(left)));
    }
    List list;
    Object object;
    const auto round = [&](const Value& key, const Value& value) {
      const size_t before = locals_.size();
      if (!node.key_name.empty()) locals_.emplace_back(node.key_name, key);
      locals_.emplace_back(node.value_name, value);
      if (!node.condition || boolean(evaluate(*node.condition), node.condition->span)) {
        if (node.result_key) {
          std::string name = key_text(evaluate(*node.result_key), node.result_key->span);
          object.insert_or_assign(std::move(name), evaluate(*node.result));
        } else {
          list.push_back(evaluate(*node.result));
        }
      }
      locals_.resize(before);
    };
    if (const auto* items = collection.as<List>()) {
      for (size_t i = 0; i < items->size(); ++i) round(static_cast<Number>(i), (*items)[i]);
    } else if (const auto* members = collection.as<Object>()) {
      for (const auto& [key, value] : *members) round(key, value);
    } else {
      fail(node.collection->span, fmt::format("{} has no elements", describe(collection)));
    }
    if (node.result_key) return object;
    return list;
  }

  const Value* find_local(std::string_view name) const {
    const auto found = std::find_if(locals_.rbegin(), locals_.rend(),
                                    [name](const auto& local) { return local.first == name; });
    return found == locals_.rend() ? nullptr : &found->second;
  }

  static std::string key_text(const Value& key, Span span) {
    const auto text = text_of(key);
    if (!text) fail(span, fmt::format("{} cannot be a key", describe(key)));
    return *text;
  }
  static bool boolean(const Value& value, Span span) {
    const auto boolean = bool_of(value);
    if (!boolean) fail(span, fmt::format("{} stands where a boolean belongs", describe(value)));
    return *boolean;
  }
  static Number number(const Value& value, Span span) {
    const auto number = number_of(value);
    if (!number) fail(span, fmt::format("{} stands where a number belongs", describe(value)));
    return *number;
  }

  const Scope& scope_;
  std::vector<std::pair<std::string, Value>> locals_;
  Span span_;  // of the innermost expression that has a place
};

}  // namespace

Scope::Found EmptyScope::find(const Traversal& traversal, Span span) const {
  throw ExpressionError(Code::bad_reference, span,
                        fmt::format("there is no `{}` here", traversal.root));
}

Value evaluate(const Expression& expression, const Scope& scope) {
  return Evaluator(scope).evaluate(expression);
}

std::optional<std::string> text_of(const Value& value) {
  if (const auto* text = value.as<std::string>()) return *text;
  if (const auto* number = value.as<Number>()) return number_text(*number);
  if (const auto* boolean = value.as<bool>()) return *boolean ? "true" : "false";
  return std::nullopt;
}

}  // namespace slipway::expression
