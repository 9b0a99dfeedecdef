// Checks that every reader of a YAML file makes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "launcher/source/yaml.h"

namespace slipway::source {

// A diagnostic at each key of a mapping that is not among `known`, with a suggestion; one for a
// node that is no mapping. `what` is what the mapping describes: "a module".
void check_keys(const Node& node, std::string_view what, std::span<const std::string> known,
                Code code, Diagnostics& diagnostics);

}  // namespace slipway::source
