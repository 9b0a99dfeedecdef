// Base64 with padding (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace slipway {

std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);

}  // namespace slipway
