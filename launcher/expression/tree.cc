// Making, walking and rewriting expression trees.
#include <algorithm>

#include "launcher/expression/expression.h"

namespace slipway::expression {

ExpressionPtr to_expression(const Value& value, Span span, Form form) {
  if (const auto* unknown = value.as<Unknown>()) return unknown->expression;
  if (const auto* list = value.as<Value::List>()) {
    Tuple tuple{{}, form};
    for (const Value& item : *list) tuple.items.push_back(to_expression(item, span, form));
    return make(span, std::move(tuple));
  }
  if (const auto* object = value.as<Value::Object>()) {
    ObjectExpression out{{}, form};
    for (const auto& [key, member] : *object) {
      out.items.push_back(
          {make(span, Literal{Value(key)}), to_expression(member, span, form), false});
    }
    return make(span, std::move(out));
  }
  return make(span, Literal{value});
}

ExpressionPtr reference(std::string root, std::vector<std::string> names, Span span) {
  Traversal traversal{std::move(root), nullptr, {}};
  for (std::string& name : names) {
    traversal.steps.push_back({Step::Kind::attribute, std::move(name), nullptr, span});
  }
  return make(span, std::move(traversal));
}

namespace {

// The children of every kind of node, in one place: both walks below are made of it.
class Rewriter {
 public:
  explicit Rewriter(const Change& change, const std::function<void(const Call&)>& on_call = {})
      : change_(change), on_call_(on_call) {}

  ExpressionPtr rewrite(const ExpressionPtr& expression) {
    if (!expression) return nullptr;
    if (const auto* call = expression->as<Call>(); call != nullptr && on_call_) on_call_(*call);
    if (const auto* traversal = expression->as<Traversal>();
        traversal != nullptr && !traversal->base && !is_bound(traversal->root)) {
      if (ExpressionPtr changed = change_(*traversal, expression->span)) return changed;
    }
    return std::visit([&](auto node) { return make(expression->span, children(std::move(node))); },
                      expression->node);
  }

 private:
  bool is_bound(const std::string& name) const {
    return std::find(bound_.begin(), bound_.end(), name) != bound_.end();
  }
  void all(std::vector<ExpressionPtr>& list) {
    for (ExpressionPtr& item : list) item = rewrite(item);
  }

  Literal children(Literal node) { return node; }
  Template children(Template node) {
    all(node.parts);
    return node;
  }
  Traversal children(Traversal node) {
    node.base = rewrite(node.base);
    for (Step& step : node.steps) step.key = rewrite(step.key);
    return node;
  }
  Call children(Call node) {
    all(node.arguments);
    return node;
  }
  Unary children(Unary node) { return {node.sign, rewrite(node.operand)}; }
  Binary children(Binary node) { return {node.op, rewrite(node.left), rewrite(node.right)}; }
  Conditional children(Conditional node) {
    return {rewrite(node.condition), rewrite(node.yes), rewrite(node.no)};
  }
  Parenthesis children(Parenthesis node) { return {rewrite(node.inner)}; }
  Tuple children(Tuple node) {
    all(node.items);
    return node;
  }
  ObjectExpression children(ObjectExpression node) {
    for (ObjectItem& item : node.items) {
      item.key = rewrite(item.key);
      item.value = rewrite(item.value);
    }
    return node;
  }
  For children(For node) {
    node.collection = rewrite(node.collection);
    const size_t before = bound_.size();
    bound_.push_back(node.value_name);
    if (!node.key_name.empty()) bound_.push_back(node.key_name);
    node.result_key = rewrite(node.result_key);
    node.result = rewrite(node.result);
    node.condition = rewrite(node.condition);
    bound_.resize(before);
    return node;
  }

  const Change& change_;
  const std::function<void(const Call&)> on_call_;
  std::vector<std::string> bound_;  // names of the enclosing `for`s
};

}  // namespace

ExpressionPtr rewrite(const ExpressionPtr& expression, const Change& change) {
  return Rewriter(change).rewrite(expression);
}

void for_each_call(const ExpressionPtr& expression, const std::function<void(const Call&)>& visit) {
  const Change keep = [](const Traversal&, Span) -> ExpressionPtr { return nullptr; };
  Rewriter(keep, visit).rewrite(expression);
}

void for_each_reference(const ExpressionPtr& expression,
                        const std::function<void(const Traversal&, Span)>& visit) {
  rewrite(expression, [&](const Traversal& traversal, Span span) -> ExpressionPtr {
    visit(traversal, span);
    return nullptr;
  });
}

}  // namespace slipway::expression
