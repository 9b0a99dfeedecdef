// The tree of an HCL expression.
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

// "text ${expression} text": literal strings, expressions and directives in turn. A template of
// nothing but one expression is the value of that.
struct Template {
  std::vector<ExpressionPtr> parts;
};

// %{ if condition }yes%{ else }no%{ endif }, a part of a template as its branches are templates.
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

// One step from a value to a part of it: .name, [key], [*] or .*, which takes along only the
// attributes behind it.
struct Step {
  enum class Kind { attribute, index, splat, attribute_splat };
  Kind kind = Kind::attribute;
  std::string name;   // of an attribute
  ExpressionPtr key;  // of an index
  Span span;
};

// A name of the scope, or any expression, and steps into it: var.zone, module.net.subnetworks[0].
struct Traversal {
  std::string root;    // empty when `base` is set
  ExpressionPtr base;  // null when `root` is set
  std::vector<Step> steps;

  // What follows a splat goes into each member, so a traversal with one is a whole of its own.
  bool has_splat() const;
};

struct Call {
  std::string function;
  Span name_span;
  std::vector<ExpressionPtr> arguments;
  bool spread = false;  // f(list...): the last argument holds the rest
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

// How a collection was written, and so how it is printed again: as a part of the YAML tree, or
// within an expression.
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
  bool grouped = false;     // an object whose values are the lists of results of one key
};

struct Expression {
  using Node = std::variant<Literal, Template, Traversal, Call, Unary, Binary, Conditional,
                            Parenthesis, Tuple, ObjectExpression, For, TemplateIf, TemplateFor>;
  Span span;
  Node node;
  size_t nodes = 1;  // how many nodes the tree has: shared ones as often as they stand in it

  template <class T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
};

ExpressionPtr make(Span span, Expression::Node node);

// The value as an expression; what is unknown in it stands as the expression that it will be.
ExpressionPtr to_expression(const Value& value, Span span = {}, Form form = Form::commas);

// The steps behind an expression, in one traversal where that means the same.
ExpressionPtr stepped(const ExpressionPtr& base, std::vector<Step> steps, Span span = {});

// root.name… as an expression.
ExpressionPtr reference(std::string root, std::vector<std::string> names, Span span = {});

// The expression as HCL text.
std::string to_hcl(const Expression& expression);

// The same expression with each traversal that starts from the scope replaced by what `change`
// returns for it (a null pointer keeps it).
using Change = std::function<ExpressionPtr(const Traversal&, Span)>;
ExpressionPtr rewrite(const ExpressionPtr& expression, const Change& change);

// Calls `visit` for each traversal that starts from the scope; names that a `for` binds are left
// out.
void for_each_reference(const ExpressionPtr& expression,
                        const std::function<void(const Traversal&, Span)>& visit);

// Calls `visit` for each call of a function.
void for_each_call(const ExpressionPtr& expression, const std::function<void(const Call&)>& visit);

}  // namespace slipway::expression
