// Values and types of the blueprint language, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "launcher/expression/type.h"
#include "launcher/expression/value.h"

namespace slipway::commands {

// The value as JSON; an unknown part as the text "((HCL))".
nlohmann::ordered_json to_json(const expression::Value& value);

// The value as HCL in one line.
std::string one_line(const expression::Value& value);

// The same, or where that takes more than `columns`, in several.
std::string to_text(const expression::Value& value, size_t columns);

// The type as Terraform writes it, with all attributes: in one line, or where that takes more than
// `columns`, with an attribute a line. `columns` 0: always one line.
std::string full_type(const expression::Type& type, size_t columns = 0);

}  // namespace slipway::commands
