// Checks of what the expressions of a Deployment refer to.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Settings and outputs that the modules do not have, references to what does not exist, and modules
// that need each other. Before wiring, because wiring looks at what is set.
void check_references(const Deployment& deployment, source::Diagnostics& diagnostics);

// The same for one expression that is not a module's setting: only variables can stand in it. False
// when something is wrong with it.
bool check_variables_only(const Deployment& deployment, const ExpressionPtr& expression,
                          source::Diagnostics& diagnostics);

// Modules that need each other's outputs, through settings or `depends_on`. After wiring.
void check_cycles(const Deployment& deployment, source::Diagnostics& diagnostics);

}  // namespace slipway::blueprint
