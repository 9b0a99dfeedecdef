// A secret that two programs share, and HMACs that prove that a program has it without revealing
// it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace slipway {

inline constexpr size_t secret_bytes = 32;
// The environment variable with the shared secret of programs that were started together, in
// hexadecimal digits. `slipway launch` sets it for the tasks of an attempt.
inline constexpr const char* run_key_variable = "SLIPWAY_RUN_KEY";

using Secret = std::array<uint8_t, secret_bytes>;

// 32 random bytes from the kernel. Throws Error.
Secret random_secret();

std::string to_hex(const Secret& secret);
// Parses 64 hexadecimal digits; empty for any other text.
std::optional<Secret> secret_from_hex(std::string_view text);

// HMAC with SHA-256 (RFC 2104). `key` may have any length.
Secret hmac_sha256(std::string_view key, std::string_view message);
Secret hmac_sha256(const Secret& key, std::string_view message);

// Compares in constant time, so that timing reveals nothing.
bool is_same(std::string_view a, std::string_view b);

// The raw 32 bytes.
std::string_view bytes_of(const Secret& secret);

}  // namespace slipway
