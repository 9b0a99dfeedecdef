// What a group's files say, as one word.
#pragma once

#include <string>
#include <string_view>

namespace slipway::apply {

// SHA-256 in hexadecimal digits. Throws Error.
std::string digest(std::string_view bytes);

}  // namespace slipway::apply
