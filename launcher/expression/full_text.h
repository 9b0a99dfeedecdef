// Prints values and types in full, as Terraform writes them.
#pragma once

#include <string>

#include "launcher/expression/type.h"
#include "launcher/expression/value.h"

namespace slipway::expression {

// The value as HCL: in one line, or in several if one would take more than `columns`. `columns` 0:
// always one line.
std::string full_text(const Value& value, size_t columns);

// The type with all attributes of its objects: in one line, or with a line for each attribute if
// that takes more than `columns`. `columns` 0: always one line.
std::string full_text(const Type& type, size_t columns = 0);

}  // namespace slipway::expression
