// Evaluates an expression to a value, which is partly unknown if the expression depends on outputs
// that exist only after deployment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/expression/expression.h"
#include "launcher/expression/parser.h"

namespace slipway::expression {

// Looks up the names in an expression.
class Scope {
 public:
  struct Found {
    Value value;
    size_t steps = 0;  // how many of the traversal's steps lead to the value
    // Instead of `value`: one that the scope keeps, so that a part of it is taken without copying
    // all of it.
    const Value* kept = nullptr;
  };

  virtual ~Scope() = default;

  // The value at the beginning of a traversal: var.zone takes one step, module.net.network_id two.
  // Throws ExpressionError if the name does not exist.
  virtual Found find(const Traversal& traversal, Span span) const = 0;

  // The text of a file of the module in which the expression is written, for module_file(). Throws
  // ExpressionError if the file does not exist or the expression is not in a module.
  virtual Value file_text(const std::string& path, Span span) const;
};

// A scope without names.
class EmptyScope : public Scope {
 public:
  Found find(const Traversal& traversal, Span span) const override;
};

// Throws ExpressionError. A result that depends on something unknown is an Unknown, which holds the
// expression that remains to be evaluated.
Value evaluate(const Expression& expression, const Scope& scope);

// Throws ExpressionError for a call of an unknown function or with a wrong number of arguments, and
// for the first one in an expression, even in a part that is never evaluated. evaluate() does so.
void check_call(const Call& call);
void check_calls(const Expression& expression);

// A value as text in a template: "4" for 4, "true" for true. Nothing for a list, an object or an
// unknown.
std::optional<std::string> text_of(const Value& value);

}  // namespace slipway::expression
