// Expressions of a `for_each` module, for one of its items.
#pragma once

#include <string>

#include "launcher/expression/expression.h"

namespace slipway::blueprint {

// One item of a `for_each`.
struct Each {
  std::string key;
  expression::Value value;
};

// The expression with each.key and each.value filled in. What then depends on nothing else becomes
// a value, as if the blueprint had it written out. Throws ExpressionError.
expression::ExpressionPtr substitute(const expression::ExpressionPtr& expression, const Each& each);

}  // namespace slipway::blueprint
