// Writes a Deployment as a blueprint again, with every setting explicit.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "launcher/blueprint/deployment.h"

namespace slipway::blueprint {

// Expressions are strings "((HCL))". Compiling the result gives the same Deployment.
nlohmann::ordered_json expand(const Deployment& deployment);

// A JSON tree as YAML, in block style. Strings are quoted only if YAML would read them differently.
std::string to_yaml(const nlohmann::ordered_json& tree);

}  // namespace slipway::blueprint
