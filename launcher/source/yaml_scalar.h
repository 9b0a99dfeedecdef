// Writes texts as scalars of YAML.
#pragma once

#include <string>

namespace slipway::source {

// The text as every reader of YAML 1.1 and 1.2 takes it for this string: as it is, or in quotes. On
// one line.
std::string yaml_scalar(const std::string& text);

}  // namespace slipway::source
