// Reads the validators of a Terraform module's metadata.yaml, which Cluster Toolkit's engine runs
// on the settings of the module.
#pragma once

#include "launcher/modules/interface.h"
#include "launcher/source/diagnostics.h"
#include "launcher/source/yaml.h"

namespace slipway::modules {

// Adds rules to `interface` that hold when the validators do. As in the engine, they see settings
// that the blueprint writes and variables of the same name, but not what `use` sets; a validator of
// an unknown kind is passed over. Reports what is wrong with a validator.
void read_metadata_rules(const source::Node& validators, Interface& interface,
                         source::Diagnostics& diagnostics);

}  // namespace slipway::modules
