// JSON Schema (draft 7) for the settings of modules.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "launcher/expression/type.h"
#include "launcher/modules/interface.h"

namespace slipway::commands {

// Matches text with an expression in it; an ECMA 262 regular expression.
inline constexpr const char* expression_pattern = R"(\$\(|^\(\([\s\S]*\)\)$)";

// Accepts every value that converts to the type, including null, text that reads as a number, and
// expressions.
nlohmann::ordered_json type_schema(const expression::Type& type);

// A setting of a module, with its help and default. A removed input accepts nothing.
nlohmann::ordered_json input_schema(const modules::Input& input);

}  // namespace slipway::commands
