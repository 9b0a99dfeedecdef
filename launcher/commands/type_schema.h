// What a setting may be, as JSON Schema (draft 7).
#pragma once

#include <nlohmann/json.hpp>

#include "launcher/expression/type.h"
#include "launcher/modules/interface.h"

namespace slipway::commands {

// A text that is or holds an expression, as a regular expression of ECMA 262.
inline constexpr const char* expression_pattern = R"(\$\(|^\(\([\s\S]*\)\)$)";

// Every value that can become one of the type: also null, texts that read as numbers, and
// expressions.
nlohmann::ordered_json type_schema(const expression::Type& type);

// A setting of a module, with its help and its default. What is gone accepts nothing.
nlohmann::ordered_json input_schema(const modules::Input& input);

}  // namespace slipway::commands
