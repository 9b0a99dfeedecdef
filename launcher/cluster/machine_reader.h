// Reads machines.yaml of the catalogue.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "launcher/cluster/machine_names.h"
#include "launcher/source/yaml.h"

namespace slipway::cluster {

// The machine types in the file `root`, including those of its series. Problems go to
// `diagnostics`; a wrong row is left out. `transports` are the valid transport names; empty: any.
MachineTable read_machines(const source::Node& root,
                           const std::optional<std::set<std::string>>& transports,
                           source::Diagnostics& diagnostics);

}  // namespace slipway::cluster
