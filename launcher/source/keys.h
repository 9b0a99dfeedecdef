// Checks the keys of a YAML mapping, for all readers of YAML files.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "launcher/source/yaml.h"

namespace slipway::source {

// Reports each key of a mapping that is not in `known`, with a suggestion, and a node that is not a
// mapping. `what` is what the mapping describes: "a module".
void check_keys(const Node& node, std::string_view what, std::span<const std::string> known,
                Code code, Diagnostics& diagnostics);

}  // namespace slipway::source
