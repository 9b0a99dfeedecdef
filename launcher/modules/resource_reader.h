// Reads `resources` of a module.yaml: what the module becomes on Google Cloud.
#pragma once

#include "launcher/modules/interface.h"
#include "launcher/modules/module_file.h"
#include "launcher/source/yaml.h"

namespace slipway::modules {

// The resources of the module file `root`, into `interface`, whose outputs and locals are read
// already. Checks what refers to them, too.
void read_resources(const source::Node& root, Bodies bodies, Interface& interface,
                    const source::Sources& sources, source::Diagnostics& diagnostics);

// How an expression refers to a resource: the first two names, or three after `data`. Empty when it
// refers to something else.
std::string resource_reference(const expression::Traversal& traversal);

}  // namespace slipway::modules
