// Evaluation: an expression becomes a value, as far as its parts are known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/expression/expression.h"
#include "launcher/expression/parser.h"

namespace slipway::expression {

// What names mean.
class Scope {
 public:
  struct Found {
    Value value;
    size_t steps = 0;  // of the traversal's steps, how many the value stands for
  };

  virtual ~Scope() = default;

  // The value at the beginning of a traversal: var.zone takes one step, module.net.network_id two.
  // Throws ExpressionError when there is no such thing.
  virtual Found find(const Traversal& traversal, Span span) const = 0;

  // The text of a file beside what the expression is written in: module_file(). Throws
  // ExpressionError when there is none, and where there are no such files.
  virtual Value file_text(const std::string& path, Span span) const;
};

// A scope without names.
class EmptyScope : public Scope {
 public:
  Found find(const Traversal& traversal, Span span) const override;
};

// Throws ExpressionError. A part that is unknown makes the whole unknown, unless the whole does not
// depend on it; the unknown then holds the expression that is left.
Value evaluate(const Expression& expression, const Scope& scope);

// "4" for 4, "true" for true: what a template makes of a value. Nothing for a list, an object or an
// unknown.
std::optional<std::string> text_of(const Value& value);

}  // namespace slipway::expression
