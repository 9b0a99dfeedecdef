// Reads the `resources` of a module.yaml: the Terraform resources that it creates on Google Cloud.
#pragma once

#include "launcher/modules/interface.h"
#include "launcher/modules/module_file.h"
#include "launcher/source/yaml.h"

namespace slipway::modules {

// Reads the resources of the module file `root` into `interface`, whose outputs and locals must
// already be read, and checks the references to them.
void read_resources(const source::Node& root, Bodies bodies, Interface& interface,
                    const source::Sources& sources, source::Diagnostics& diagnostics);

// The name of the resource to which a traversal refers: its first two names, or three with `data`.
// Empty if it refers to something else.
std::string resource_reference(const expression::Traversal& traversal);

}  // namespace slipway::modules
