// Prints an expression's tree as text, to compare trees. Unlike HCL it shows every node, and unlike
// the tree it is the same for two notations of one thing. Parentheses are left out: the tree shows
// what they are for.
#pragma once

#include <string>

#include "launcher/expression/expression.h"

namespace slipway::fuzz {

std::string tree_text(const expression::Expression& expression);

}  // namespace slipway::fuzz
