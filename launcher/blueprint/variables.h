// Checks deployment variables and adds the labels that every resource gets.
#pragma once

#include "launcher/blueprint/deployment.h"
#include "launcher/source/diagnostics.h"

namespace slipway::blueprint {

// Reports variables without a value, variables that depend on each other, references that a
// variable cannot have, and a missing or invalid deployment_name, which it stores in
// deployment.name. False if a chain of variables is too long for further checks.
bool check_variables(Deployment& deployment, source::Diagnostics& diagnostics);

// Adds ghpc_blueprint and ghpc_deployment to vars.labels; the user's labels win.
void add_labels(Deployment& deployment);

// A YAML mapping in HCL's form: sorted by key, with one item per line. Other expressions stay
// unchanged.
ExpressionPtr as_lines(const ExpressionPtr& expression);

}  // namespace slipway::blueprint
