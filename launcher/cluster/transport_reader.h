// Reads transports.yaml of the catalogue.
#pragma once

#include <map>
#include <string>

#include "launcher/cluster/catalogue.h"
#include "launcher/source/yaml.h"

namespace slipway::cluster {

// The transports in the file `root`. Problems go to `diagnostics`; a wrong row is left out.
std::map<std::string, TransportType> read_transports(const source::Node& root,
                                                     source::Diagnostics& diagnostics);

}  // namespace slipway::cluster
