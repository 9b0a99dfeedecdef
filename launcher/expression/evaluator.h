// Internal declarations of the evaluator, with one function for each kind of node.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/expression/evaluate.h"
#include "launcher/expression/functions.h"

namespace slipway::expression {

class Evaluator {
 public:
  explicit Evaluator(const Scope& scope) : scope_(scope) {}

  Value evaluate(const Expression& expression);

 private:
  // A name that a `for` binds. In the body of a `for` over something unknown, the name has no value
  // and is printed.
  struct Local {
    std::string name;
    Value value;
    std::string printed;  // the name to print if it has no value; otherwise empty
  };
  class Names;  // adds locals and removes them when destroyed

  // evaluate.cc
  [[noreturn]] static void fail(Span span, const std::string& message, std::string help = {});
  Value unknown(Expression::Node node) const { return unknown(make(span_, std::move(node))); }
  Value unknown(ExpressionPtr expression) const;
  Value value_of(const Literal& node) { return node.value; }
  Value value_of(const Unary& node);
  Value value_of(const Binary& node);
  Value combined(const Binary& node, const Value& left, const Value& right);
  Value value_of(const Conditional& node);
  bool can_evaluate_for_type(const ExpressionPtr& expression) const;
  Value value_of(const Parenthesis& node) { return evaluate(*node.inner); }
  Value value_of(const Tuple& node);
  Value value_of(const ObjectExpression& node);
  ExpressionPtr partly(const ExpressionPtr& expression);
  ExpressionPtr with_locals(const ExpressionPtr& expression) const;
  const Local* find_local(std::string_view name) const;
  static std::string key_text(const Value& key, Span span);
  static bool boolean(const Value& value, Span span);
  static Value::Number number(const Value& value, Span span);

  // evaluate_templates.cc
  Value value_of(const Template& node);
  Value value_of(const TemplateIf& node);
  Value value_of(const TemplateFor& node);
  Value joined(const std::vector<std::pair<Value, Span>>& parts);
  Value value_of(const For& node);
  Value unexpanded(const For& node, const Value& collection);
  std::vector<std::pair<Value, Value>> members(const Value& collection, Span span) const;
  std::string printed_name(const std::string& name) const;

  // evaluate_traversals.cc
  using Steps = std::vector<Step>;
  Value value_of(const Traversal& node);
  Value value_with_keys(const Traversal& traversal);
  Value walk(const Value& from, const Steps& steps, size_t at, size_t end);
  Value splat(const Value& value, const Steps& steps, size_t at, size_t end);
  const Value& attribute(const Value& value, const Step& step) const;
  const Value& element(const Value& value, const Value& key, const Step& step) const;

  // evaluate_calls.cc
  Value value_of(const Call& node);
  Value applied(const Call& node, const Function& function, const Value::List& arguments);
  Value can(const Call& node);
  Value try_each(const Call& node);
  Value template_string(const Call& node);
  Value module_file(const Call& node);
  Value unknown_call(const Call& node, const Value::List& arguments, bool spread = false) const;

  const Scope& scope_;
  std::vector<Local> locals_;
  Span span_;  // of the innermost expression that has a place
};

// True for a set whose size is unknown, since unknown members may turn out equal.
inline bool has_unknown_size(const Value& value) {
  const auto* list = value.as<Value::List>();
  return value.is_set() && list != nullptr && list->size() > 1 && !value.is_known();
}

inline Value marked(Value value, bool sensitive) {
  value.sensitive = value.sensitive || sensitive;
  return value;
}

class Evaluator::Names {
 public:
  explicit Names(Evaluator& evaluator) : locals_(evaluator.locals_), before_(locals_.size()) {}
  ~Names() { locals_.resize(before_); }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  void add(const std::string& name, Value value, std::string printed = {}) {
    if (!name.empty()) locals_.push_back({name, std::move(value), std::move(printed)});
  }

 private:
  std::vector<Local>& locals_;
  size_t before_;
};

}  // namespace slipway::expression
