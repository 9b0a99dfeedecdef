// Evaluation: operators, lists and objects.
#include "launcher/expression/evaluate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "launcher/expression/budget.h"
#include "launcher/expression/evaluator.h"
#include "launcher/expression/unify.h"

namespace slipway::expression {
namespace {

using source::Code;
using List = Value::List;
using Object = Value::Object;
using Number = Value::Number;

// One expression can refer to the next, so the depth is counted across evaluators. The limit is far
// from exhausting the stack.
constexpr int evaluation_depth_limit = 1500;

// The tree of an unknown can share parts, but is printed in full.
constexpr size_t node_limit = 100'000;

// An expression in a file cannot be larger than the file.
constexpr size_t written_limit = 1'000'000;

struct Nesting {
  Nesting() { ++depth; }
  ~Nesting() { --depth; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  static inline thread_local int depth = 0;
};

struct Place {
  Place(Span& span, Span inner) : span(span), outer(std::exchange(span, inner)) {}
  ~Place() { span = outer; }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  Span& span;
  Span outer;
};

}  // namespace

Value Evaluator::evaluate(const Expression& expression) {
  const Nesting nesting;
  const Place place(span_, expression.span ? expression.span : span_);
  if (Nesting::depth > evaluation_depth_limit) {
    fail(span_, "the values that this depends on are nested too deeply");
  }
  try {
    spend(1);
    return std::visit([this](const auto& node) { return value_of(node); }, expression.node);
  } catch (const ExpressionError&) {
    throw;
  } catch (const Error& error) {
    fail(span_, error.what());
  }
}

void Evaluator::fail(Span span, const std::string& message, std::string help) {
  throw ExpressionError(Code::cannot_evaluate, span, message, std::move(help));
}

Value Evaluator::unknown(ExpressionPtr expression) const {
  if (expression->nodes > node_limit) fail(span_, "the part that is still unknown is too large");
  return Unknown{std::move(expression), {}};
}

Value Evaluator::value_of(const Unary& node) {
  const Value value = evaluate(*node.operand);
  if (value.is_unknown()) return unknown(Unary{node.sign, to_expression(value)});
  if (node.sign == '!') return marked(!boolean(value, node.operand->span), value.sensitive);
  return marked(-number(value, node.operand->span), value.sensitive);
}

Value Evaluator::value_of(const Binary& node) {
  const Value left = evaluate(*node.left);
  // The right side is not evaluated if the left side decides: `x == null || x > 1`. Terraform does
  // this from 1.12 on.
  if (node.op == Operator::or_ && bool_of(left) == true) return marked(true, left.sensitive);
  if (node.op == Operator::and_ && bool_of(left) == false) return marked(false, left.sensitive);
  const Value right = evaluate(*node.right);
  return marked(combined(node, left, right), left.is_sensitive() || right.is_sensitive());
}

Value Evaluator::combined(const Binary& node, const Value& left, const Value& right) {
  const Span left_span = node.left->span;
  const Span right_span = node.right->span;
  if (node.op == Operator::equal || node.op == Operator::not_equal) {
    const auto same = equal(left, right);
    if (same) return *same == (node.op == Operator::equal);
    return unknown(Binary{node.op, to_expression(left), to_expression(right)});
  }
  const bool logic = node.op == Operator::or_ || node.op == Operator::and_;
  const auto check = [&](const Value& value, Span span) {
    if (value.is_unknown()) return;
    logic ? static_cast<void>(boolean(value, span)) : static_cast<void>(number(value, span));
  };
  check(left, left_span);
  check(right, right_span);
  if (left.is_unknown() || right.is_unknown()) {
    return unknown(Binary{node.op, to_expression(left), to_expression(right)});
  }
  if (logic) return boolean(right, right_span);  // the left side did not decide
  const Number a = number(left, left_span);
  const Number b = number(right, right_span);
  const auto finite = [&](Number number) {
    if (!std::isfinite(number)) fail(span_, "the result is too large");
    return number;
  };
  switch (node.op) {
    case Operator::less:
      return a < b;
    case Operator::less_equal:
      return a <= b;
    case Operator::greater:
      return a > b;
    case Operator::greater_equal:
      return a >= b;
    case Operator::add:
      return finite(a + b);
    case Operator::subtract:
      return finite(a - b);
    case Operator::multiply:
      return finite(a * b);
    default:
      if (b == 0) fail(right_span, "division by zero");
      return node.op == Operator::divide ? finite(a / b) : std::fmod(a, b);
  }
}

Value Evaluator::value_of(const Conditional& node) {
  const Value condition = evaluate(*node.condition);
  if (condition.is_unknown()) {
    return unknown(Conditional{to_expression(condition), partly(node.yes), partly(node.no)});
  }
  const bool yes = boolean(condition, node.condition->span);
  const Value value = evaluate(yes ? *node.yes : *node.no);
  const ExpressionPtr& other = yes ? node.no : node.yes;
  if (value.is_unknown() || !can_evaluate_for_type(other))
    return marked(value, condition.sensitive);
  // Both results are converted to a common type: `x ? 1 : "a"` is a string.
  std::optional<Type> type;
  try {
    type = type_of(evaluate(*other));
  } catch (const ExpressionError&) {
    return marked(value, condition.sensitive);  // the other result does not need a value
  }
  const auto common = unify({type_of(value), *type});
  if (!common) {
    fail(span_, fmt::format("the two results of `?:` have no common type: {} and {}",
                            describe(yes ? type_of(value) : *type),
                            describe(yes ? *type : type_of(value))));
  }
  std::vector<Mismatch> mismatches;
  return marked(convert(value, *common, mismatches), condition.sensitive);
}

// Whether the result that is not chosen can be evaluated for its type. Variables can, since they
// cannot depend on themselves. Outputs of modules may depend on this very value.
bool Evaluator::can_evaluate_for_type(const ExpressionPtr& expression) const {
  bool can = true;
  for_each_reference(expression, [&](const Traversal& traversal, Span) {
    can = can && (traversal.root == "var" || find_local(traversal.root) != nullptr);
  });
  return can;
}

Value Evaluator::value_of(const Tuple& node) {
  List list;
  for (const ExpressionPtr& item : node.items) list.push_back(evaluate(*item));
  return list;
}

Value Evaluator::value_of(const ObjectExpression& node) {
  Object object;
  List keys, values;  // in the order in which they are written
  bool known = true;
  bool sensitive = false;
  for (const ObjectItem& item : node.items) {
    const Value& key = keys.emplace_back(evaluate(*item.key));
    const Value& value = values.emplace_back(evaluate(*item.value));
    known = known && !key.is_unknown();
    sensitive = sensitive || key.sensitive;
    if (known) object.insert_or_assign(key_text(key, item.key->span), value);
  }
  if (known) return marked(std::move(object), sensitive);
  ObjectExpression left{{}, node.form};
  for (size_t i = 0; i < node.items.size(); ++i) {
    const ObjectItem& item = node.items[i];
    left.items.push_back(
        {to_expression(keys[i], item.key->span), to_expression(values[i]), item.quoted_key});
  }
  return unknown(std::move(left));
}

// The expression evaluated as far as possible. If that fails, the expression stays unchanged, since
// it may never be needed.
ExpressionPtr Evaluator::partly(const ExpressionPtr& expression) {
  if (!expression) return nullptr;
  try {
    return to_expression(evaluate(*expression), expression->span);
  } catch (const ExpressionError& error) {
    if (error.code != Code::cannot_evaluate) throw;
    return with_locals(expression);
  }
}

ExpressionPtr Evaluator::with_locals(const ExpressionPtr& expression) const {
  return rewrite(expression, [this](const Traversal& traversal, Span span) -> ExpressionPtr {
    const Local* local = find_local(traversal.root);
    if (local == nullptr) return nullptr;
    std::vector<Step> steps = traversal.steps;
    for (Step& step : steps) step.key = with_locals(step.key);
    const ExpressionPtr base = to_expression(local->value, span);
    return steps.empty() ? base : stepped(base, std::move(steps), span);
  });
}

const Evaluator::Local* Evaluator::find_local(std::string_view name) const {
  const auto found = std::find_if(locals_.rbegin(), locals_.rend(),
                                  [name](const Local& local) { return local.name == name; });
  return found == locals_.rend() ? nullptr : &*found;
}

std::string Evaluator::key_text(const Value& key, Span span) {
  const auto text = text_of(key);
  if (!text) fail(span, fmt::format("{} cannot be a key", describe(key)));
  return *text;
}

bool Evaluator::boolean(const Value& value, Span span) {
  const auto boolean = bool_of(value);
  if (!boolean) fail(span, fmt::format("expected a boolean, not {}", describe(value)));
  return *boolean;
}

Number Evaluator::number(const Value& value, Span span) {
  const auto number = number_of(value);
  if (!number) fail(span, fmt::format("expected a number, not {}", describe(value)));
  return *number;
}

Value Scope::file_text(const std::string&, Span span) const {
  throw ExpressionError(Code::cannot_evaluate, span,
                        "module_file() can be used only in a module file");
}

Scope::Found EmptyScope::find(const Traversal& traversal, Span span) const {
  throw ExpressionError(Code::bad_reference, span,
                        fmt::format("there is no `{}` here", traversal.root));
}

Value evaluate(const Expression& expression, const Scope& scope) {
  const Budget budget;
  if (expression.nodes > written_limit) {
    throw ExpressionError(Code::cannot_evaluate, expression.span, "this expression is too large");
  }
  check_calls(expression);
  return Evaluator(scope).evaluate(expression);
}

std::optional<std::string> text_of(const Value& value) {
  if (const auto* text = value.as<std::string>()) return *text;
  if (const auto* number = value.as<Number>()) return number_text(*number);
  if (const auto* boolean = value.as<bool>()) return *boolean ? "true" : "false";
  return std::nullopt;
}

}  // namespace slipway::expression
