// The syntax tree of an HCL expression.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "launcher/expression/value.h"
#include "launcher/source/sources.h"

namespace slipway::expression {

using source::Span;

struct Literal {
  Value value;
};

// "text ${expression} text": literal strings, expressions and directives in sequence. A template
// that consists of one expression has the value of that expression.
struct Template {
  std::vector<ExpressionPtr> parts;
};

// %{ if condition }yes%{ else }no%{ endif }, a part of a template. Its branches are templates.
struct TemplateIf {
  ExpressionPtr condition, yes;
  ExpressionPtr no;  // null without %{ else }
};

// %{ for key, value in collection }body%{ endfor }, a part of a template.
struct TemplateFor {
  std::string key_name;  // empty without one
  std::string value_name;
  ExpressionPtr collection, body;
};

// One step from a value to a part of it: .name, [key], [*], or .*, which applies only to the
// attributes that follow.
struct Step {
  enum class Kind { attribute, index, splat, attribute_splat };
  Kind kind = Kind::attribute;
  std::string name;   // of an attribute
  ExpressionPtr key;  // of an index
  Span span;
};

// A name or an expression, and steps into its value: var.zone, module.net.subnetworks[0].
struct Traversal {
  std::string root;    // empty when `base` is set
  ExpressionPtr base;  // null when `root` is set
  std::vector<Step> steps;

  // The steps after a splat apply to each member, so a traversal with one cannot be extended.
  bool has_splat() const;
};

struct Call {
  std::string function;
  Span name_span;
  std::vector<ExpressionPtr> arguments;
  bool spread = false;  // f(list...): the last argument is a list of the remaining arguments
};

struct Unary {
  char sign = '!';  // '!' or '-'
  ExpressionPtr operand;
};

enum class Operator {
  or_,
  and_,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  add,
  subtract,
  multiply,
  divide,
  modulo
};

struct Binary {
  Operator op{};
  ExpressionPtr left, right;
};

struct Conditional {
  ExpressionPtr condition, yes, no;
};

struct Parenthesis {
  ExpressionPtr inner;
};

// How a collection was written, and so is printed: in YAML, or in an expression with commas or line
// ends.
enum class Form { yaml, commas, lines };

struct Tuple {
  std::vector<ExpressionPtr> items;
  Form form = Form::commas;
};

struct ObjectItem {
  ExpressionPtr key;
  ExpressionPtr value;
  bool quoted_key = false;
};

struct ObjectExpression {
  std::vector<ObjectItem> items;
  Form form = Form::commas;
};

// [for key, value in collection : result if condition], {for … : result_key => result...}.
struct For {
  std::string key_name;  // empty without one
  std::string value_name;
  ExpressionPtr collection;
  ExpressionPtr result_key;  // set for an object
  ExpressionPtr result;
  ExpressionPtr condition;  // null without one
  bool grouped = false;     // with `...`: an object that lists all results of each key
};

struct Expression {
  using Node = std::variant<Literal, Template, Traversal, Call, Unary, Binary, Conditional,
                            Parenthesis, Tuple, ObjectExpression, For, TemplateIf, TemplateFor>;
  Span span;
  Node node;
  size_t nodes = 1;  // number of nodes in the tree; a shared node counts each time it occurs
  // Set when check_calls() found nothing in the tree: an expression of a module is evaluated for
  // each of its instances.
  mutable bool calls_are_right = false;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

ExpressionPtr make(Span span, Expression::Node node);

// The value as an expression; an unknown part becomes the expression that it holds.
ExpressionPtr to_expression(const Value& value, Span span = {}, Form form = Form::commas);

// The expression followed by the steps, in one traversal where that has the same meaning.
ExpressionPtr stepped(const ExpressionPtr& base, std::vector<Step> steps, Span span = {});

// The expression root.name…
ExpressionPtr reference(std::string root, std::vector<std::string> names, Span span = {});

// The expression as HCL text.
std::string to_hcl(const Expression& expression);

// Replaces each reference to a name of the scope by what `change` returns for it; null keeps it.
using Change = std::function<ExpressionPtr(const Traversal&, Span)>;
ExpressionPtr rewrite(const ExpressionPtr& expression, const Change& change);

// Calls `visit` for each reference to a name of the scope, but not for names that a `for` binds.
void for_each_reference(const ExpressionPtr& expression,
                        const std::function<void(const Traversal&, Span)>& visit);

// Calls `visit` for each call of a function.
void for_each_call(const ExpressionPtr& expression, const std::function<void(const Call&)>& visit);

}  // namespace slipway::expression
