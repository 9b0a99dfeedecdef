// Substitutes `each` in the expressions of a `for_each` module.
#pragma once

#include <string>

#include "launcher/expression/expression.h"

namespace slipway::blueprint {

// One item of a `for_each`.
struct Each {
  std::string key;
  expression::Value value;
};

// Replaces each.key and each.value in the expression. A result without other references becomes a
// value, as if it were written in the blueprint. Throws ExpressionError.
expression::ExpressionPtr substitute(const expression::ExpressionPtr& expression, const Each& each);

}  // namespace slipway::blueprint
