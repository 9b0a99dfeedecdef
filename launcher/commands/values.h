// Prints values and types of the blueprint language, as HCL and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "launcher/expression/type.h"
#include "launcher/expression/value.h"

namespace slipway::commands {

// The value as JSON; an unknown part as the text "((HCL))".
nlohmann::ordered_json to_json(const expression::Value& value);

// The value as HCL in one line.
std::string one_line(const expression::Value& value);

// The same, in several lines if one would take more than `columns`.
std::string to_text(const expression::Value& value, size_t columns);

// The type as Terraform writes it, with all attributes: in one line, or with a line
// for each attribute if that takes more than `columns`. `columns` 0: always one line.
std::string full_type(const expression::Type& type, size_t columns = 0);

}  // namespace slipway::commands
