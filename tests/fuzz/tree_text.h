// An expression's tree as text, for comparing trees: unlike HCL it shows every node, and unlike the
// tree it is the same for two ways to write one thing. Parentheses are left out: the tree is what
// they are for.
#pragma once

#include <string>

#include "launcher/expression/expression.h"

namespace slipway::fuzz {

std::string tree_text(const expression::Expression& expression);

}  // namespace slipway::fuzz
