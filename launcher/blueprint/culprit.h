// Finds the setting that made an expression in a module's file fail.
#pragma once

#include <string>

#include "launcher/blueprint/deployment.h"

namespace slipway::blueprint {

// The name of an attribute at a step of a reference; null if the step is another kind.
const std::string* name_after(const expression::Traversal& traversal, size_t step);

// Among the settings on which the failing part depends, directly or through locals and outputs, the
// first one that the blueprint writes; otherwise the first setting. `failed` is the place of the
// part that failed. Null if it depends on no setting.
const std::string* find_culprit(const Module& module, const ExpressionPtr& expression, Span failed);

}  // namespace slipway::blueprint
