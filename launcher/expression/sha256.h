// SHA-256.
#pragma once

#include <string>
#include <string_view>

namespace slipway::expression {

// As 64 hexadecimal digits in lower case.
std::string sha256(std::string_view bytes);

}  // namespace slipway::expression
