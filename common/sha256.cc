// SHA-256 with libmd.
#include "common/sha256.h"

#include <sha2.h>

#include <array>

namespace slipway {

std::string sha256_bytes(std::initializer_list<std::string_view> parts) {
  SHA2_CTX context = {};
  SHA256Init(&context);
  for (const std::string_view part : parts) {
    SHA256Update(&context, reinterpret_cast<const uint8_t*>(part.data()), part.size());
  }
  std::array<uint8_t, SHA256_DIGEST_LENGTH> bytes = {};
  SHA256Final(bytes.data(), &context);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string sha256(std::string_view bytes) {
  return to_hex(sha256_bytes({bytes}));
}

}  // namespace slipway
