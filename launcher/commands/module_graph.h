// The modules of a Deployment as a graph in the language of Graphviz.
#pragma once

#include <string>

#include "launcher/blueprint/deployment.h"

namespace slipway::commands {

// Groups are clusters, modules nodes. An edge leads from a module to the one that takes something
// from it, with the settings that it becomes: drawn through for `use`, dashed for an expression,
// dotted for a `use` that gives nothing. The same deployment gives the same text.
std::string module_graph(const blueprint::Deployment& deployment);

}  // namespace slipway::commands
