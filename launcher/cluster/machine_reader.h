// The catalogue: reading machines.yaml.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "launcher/cluster/catalogue.h"
#include "launcher/source/yaml.h"

namespace slipway::cluster {

// The machine types of the file `root`, those of its families among them. What is wrong goes to
// `diagnostics`; a wrong row is left out. `transports` are the names that a row may give;
// nothing: any.
std::map<std::string, MachineType> read_machines(
    const source::Node& root, const std::optional<std::set<std::string>>& transports,
    source::Diagnostics& diagnostics);

}  // namespace slipway::cluster
