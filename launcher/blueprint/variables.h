// Deployment variables: what must be there, cycles, and the labels that every resource gets.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Reports variables without a value, variables that depend on each other, references to what a
// variable cannot use, and a missing or bad deployment_name, which it puts into deployment.name.
// False when variables lead from one to the next too far for anything else to be looked at.
bool check_variables(Deployment& deployment, source::Diagnostics& diagnostics);

// Adds ghpc_blueprint and ghpc_deployment to vars.labels; the user's labels win.
void add_labels(Deployment& deployment);

// A mapping of the YAML tree as HCL writes it: sorted by key, an item a line. Anything else as it
// is.
ExpressionPtr as_lines(const ExpressionPtr& expression);

}  // namespace slipway::blueprint
