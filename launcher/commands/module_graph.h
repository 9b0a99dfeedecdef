// Draws the modules of a Deployment as text for Graphviz.
#pragma once

#include <string>

#include "launcher/blueprint/deployment.h"

namespace slipway::commands {

// Groups become clusters and modules nodes. An edge leads from a module to the one that uses its
// outputs and is labeled with the settings they become: solid for `use`, dashed for an expression,
// dotted for a `use` that provides nothing. The same deployment gives the same text.
std::string module_graph(const blueprint::Deployment& deployment);

}  // namespace slipway::commands
