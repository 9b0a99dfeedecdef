// Writes texts as scalars of YAML.
#pragma once

#include <string>

namespace slipway::source {

// Every reader of YAML 1.1 and 1.2 takes the result for this very string: it is quoted where it has
// to be. It has one line.
std::string yaml_scalar(const std::string& text);

}  // namespace slipway::source
