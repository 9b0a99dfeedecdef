// Creates, visits and rewrites expression trees.
#include <algorithm>
#include <limits>

#include "launcher/expression/expression.h"

namespace slipway::expression {
namespace {

// The children of every kind of node, without null pointers.
template <class Visit>
class Children {
 public:
  explicit Children(const Visit& visit) : visit_(visit) {}

  void operator()(const Literal&) const {}
  void operator()(const Template& node) const { all(node.parts); }
  void operator()(const TemplateIf& node) const { one(node.condition, node.yes, node.no); }
  void operator()(const TemplateFor& node) const { one(node.collection, node.body); }
  void operator()(const Traversal& node) const {
    one(node.base);
    for (const Step& step : node.steps) one(step.key);
  }
  void operator()(const Call& node) const { all(node.arguments); }
  void operator()(const Unary& node) const { one(node.operand); }
  void operator()(const Binary& node) const { one(node.left, node.right); }
  void operator()(const Conditional& node) const { one(node.condition, node.yes, node.no); }
  void operator()(const Parenthesis& node) const { one(node.inner); }
  void operator()(const Tuple& node) const { all(node.items); }
  void operator()(const ObjectExpression& node) const {
    for (const ObjectItem& item : node.items) one(item.key, item.value);
  }
  void operator()(const For& node) const {
    one(node.collection, node.result_key, node.result, node.condition);
  }

 private:
  template <class... Pointers>
  void one(const Pointers&... pointers) const {
    (static_cast<void>(pointers ? visit_(pointers) : void()), ...);
  }
  void all(const std::vector<ExpressionPtr>& list) const {
    for (const ExpressionPtr& item : list) one(item);
  }

  const Visit& visit_;
};

// A call of a function with one argument.
ExpressionPtr call(const char* function, ExpressionPtr argument, Span span) {
  return make(span, Call{function, {}, {std::move(argument)}, false});
}

}  // namespace

ExpressionPtr make(Span span, Expression::Node node) {
  constexpr size_t most = std::numeric_limits<size_t>::max() / 2;
  size_t nodes = 1;
  const auto count = [&](const ExpressionPtr& child) {
    nodes = std::min(most, nodes + child->nodes);
  };
  std::visit(Children(count), node);
  return std::make_shared<const Expression>(Expression{span, std::move(node), nodes});
}

ExpressionPtr to_expression(const Value& value, Span span, Form form) {
  if (value.sensitive) {
    Value plain = value;
    plain.sensitive = false;
    return call("sensitive", to_expression(plain, span, form), span);
  }
  if (const auto* unknown = value.as<Unknown>()) return unknown->expression;
  if (const auto* list = value.as<Value::List>()) {
    Tuple tuple{{}, form};
    for (const Value& item : *list) tuple.items.push_back(to_expression(item, span, form));
    ExpressionPtr items = make(span, std::move(tuple));
    return value.is_set() ? call("toset", std::move(items), span) : items;
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

bool Traversal::has_splat() const {
  return std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    return step.kind == Step::Kind::splat || step.kind == Step::Kind::attribute_splat;
  });
}

ExpressionPtr stepped(const ExpressionPtr& base, std::vector<Step> steps, Span span) {
  const auto* traversal = base->as<Traversal>();
  if (traversal == nullptr || traversal->has_splat()) {
    return make(span, Traversal{"", base, std::move(steps)});
  }
  Traversal longer = *traversal;
  longer.steps.insert(longer.steps.end(), steps.begin(), steps.end());
  return make(span, std::move(longer));
}

ExpressionPtr reference(std::string root, std::vector<std::string> names, Span span) {
  Traversal traversal{std::move(root), nullptr, {}};
  for (std::string& name : names) {
    traversal.steps.push_back({Step::Kind::attribute, std::move(name), nullptr, span});
  }
  return make(span, std::move(traversal));
}

namespace {

class Rewriter {
 public:
  explicit Rewriter(const Change& change) : change_(change) {}

  ExpressionPtr rewrite(const ExpressionPtr& expression) {
    if (!expression) return nullptr;
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
  // A template that replaces a reference in a template is merged into it.
  Template children(Template node) {
    Template changed;
    for (const ExpressionPtr& part : node.parts) {
      ExpressionPtr now = rewrite(part);
      const auto* inner = part->as<Traversal>() == nullptr ? nullptr : now->as<Template>();
      if (inner != nullptr && inner->parts.size() > 1) {
        changed.parts.insert(changed.parts.end(), inner->parts.begin(), inner->parts.end());
      } else {
        changed.parts.push_back(std::move(now));
      }
    }
    return changed;
  }
  TemplateIf children(TemplateIf node) {
    return {rewrite(node.condition), rewrite(node.yes), rewrite(node.no)};
  }
  TemplateFor children(TemplateFor node) {
    node.collection = rewrite(node.collection);
    const size_t before = bound_.size();
    bound_.insert(bound_.end(), {node.value_name, node.key_name});
    node.body = rewrite(node.body);
    bound_.resize(before);
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
    bound_.insert(bound_.end(), {node.value_name, node.key_name});
    node.result_key = rewrite(node.result_key);
    node.result = rewrite(node.result);
    node.condition = rewrite(node.condition);
    bound_.resize(before);
    return node;
  }

  const Change& change_;
  std::vector<std::string> bound_;  // names of the enclosing `for`s
};

}  // namespace

ExpressionPtr rewrite(const ExpressionPtr& expression, const Change& change) {
  return Rewriter(change).rewrite(expression);
}

void for_each_call(const ExpressionPtr& expression, const std::function<void(const Call&)>& visit) {
  if (!expression) return;
  if (const auto* call = expression->as<Call>()) visit(*call);
  const auto next = [&](const ExpressionPtr& child) { for_each_call(child, visit); };
  std::visit(Children(next), expression->node);
}

namespace {

class References {
 public:
  explicit References(const std::function<void(const Traversal&, Span)>& visit) : visit_(visit) {}

  void in(const ExpressionPtr& expression) {
    if (!expression) return;
    const auto* traversal = expression->as<Traversal>();
    if (traversal != nullptr && !traversal->base && !is_bound(traversal->root)) {
      visit_(*traversal, expression->span);
    }
    if (const auto* loop = expression->as<For>()) {
      in(loop->collection);
      const Bound names(*this, *loop);
      in(loop->result_key);
      in(loop->result);
      in(loop->condition);
    } else if (const auto* part = expression->as<TemplateFor>()) {
      in(part->collection);
      const Bound names(*this, *part);
      in(part->body);
    } else {
      const auto next = [this](const ExpressionPtr& child) { in(child); };
      std::visit(Children(next), expression->node);
    }
  }

 private:
  // The names of a `for`, within it.
  class Bound {
   public:
    template <class Loop>
    Bound(References& references, const Loop& loop) : bound_(references.bound_) {
      bound_.insert(bound_.end(), {loop.value_name, loop.key_name});
    }
    ~Bound() { bound_.resize(bound_.size() - 2); }
    Bound(const Bound&) = delete;
    Bound& operator=(const Bound&) = delete;

   private:
    std::vector<std::string_view>& bound_;
  };

  bool is_bound(std::string_view name) const {
    return std::find(bound_.begin(), bound_.end(), name) != bound_.end();
  }

  const std::function<void(const Traversal&, Span)>& visit_;
  std::vector<std::string_view> bound_;
};

}  // namespace

void for_each_reference(const ExpressionPtr& expression,
                        const std::function<void(const Traversal&, Span)>& visit) {
  References(visit).in(expression);
}

}  // namespace slipway::expression
