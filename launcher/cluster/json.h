// The cluster model as JSON: what `slipway model` prints.
#pragma once

#include <string>
#include <string_view>

#include "launcher/cluster/model.h"

namespace slipway::cluster {

inline constexpr std::string_view model_schema = "slipway/model/1";

// Two spaces of indentation, a line feed at the end, keys in the order of model.h.
std::string to_json(const Cluster& cluster);

}  // namespace slipway::cluster
