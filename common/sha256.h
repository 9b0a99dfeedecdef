// SHA-256.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace slipway {

// The 32 bytes of the hash of all parts, one after the other.
std::string sha256_bytes(std::initializer_list<std::string_view> parts);

// Two lower-case hexadecimal digits for each byte.
std::string to_hex(std::string_view bytes);

// The hash as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace slipway
