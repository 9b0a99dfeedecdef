// A Deployment in the blueprint language again, every setting explicit.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "launcher/blueprint/deployment.h"

namespace slipway::blueprint {

// Expressions stand as the text "((HCL))". Compiling the result gives the same Deployment.
nlohmann::ordered_json expand(const Deployment& deployment);

// A JSON tree as YAML, in block style. Texts are quoted where they would mean something else.
std::string to_yaml(const nlohmann::ordered_json& tree);

}  // namespace slipway::blueprint
