// Checks the references in a Deployment.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Whether the traversal has that step, from 0, and it is an attribute by its name.
bool is_attribute(const expression::Traversal& traversal, size_t step);

// Reports settings and outputs that the modules do not have, and references to things that do not
// exist. Call before wiring, which depends on the settings.
void check_references(const Deployment& deployment, source::Diagnostics& diagnostics);

// The same for an expression outside of a module's settings, where only variables are allowed.
// False after an error.
bool check_variables_only(const Deployment& deployment, const ExpressionPtr& expression,
                          source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
