// Converts values to JSON and back.
#pragma once

#include <string>
#include <string_view>

#include "launcher/expression/value.h"

namespace slipway::expression {

// One line, as Terraform writes it: members sorted, `<`, `>` and `&` escaped. The value must be
// fully known.
std::string to_json(const Value& value);

// Throws Error if the text is not JSON.
Value from_json(std::string_view text);

}  // namespace slipway::expression
