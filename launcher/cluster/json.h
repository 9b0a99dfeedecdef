// Prints the cluster model as JSON, for `slipway model`.
#pragma once

#include <string>
#include <string_view>

#include "launcher/cluster/model.h"

namespace slipway::cluster {

inline constexpr std::string_view model_schema = "slipway/model/1";

// Indented by two spaces, with a final line feed; keys in the order of model.h.
std::string to_json(const Cluster& cluster);

}  // namespace slipway::cluster
