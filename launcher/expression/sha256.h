// SHA-256.
#pragma once

#include <string>
#include <string_view>

namespace slipway::expression {

// The hash as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace slipway::expression
