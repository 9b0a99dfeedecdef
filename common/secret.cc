// A secret that two programs share, and HMACs with SHA-256.
#include "common/secret.h"

#include <sys/random.h>

#include <algorithm>

#include "common/error.h"
#include "common/sha256.h"

namespace slipway {
namespace {

constexpr size_t block_bytes = 64;  // of SHA-256
using Block = std::array<char, block_bytes>;

std::string_view view(const Block& block) {
  return {block.data(), block.size()};
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

Secret random_secret() {
  Secret secret;
  if (::getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size())) {
    throw_errno("getrandom");
  }
  return secret;
}

std::string to_hex(const Secret& secret) {
  return to_hex(bytes_of(secret));
}

std::optional<Secret> secret_from_hex(std::string_view text) {
  if (text.size() != 2 * secret_bytes) return std::nullopt;
  Secret secret;
  for (size_t i = 0; i < secret_bytes; ++i) {
    const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    secret[i] = static_cast<uint8_t>(high * 16 + low);
  }
  return secret;
}

Secret hmac_sha256(std::string_view key, std::string_view message) {
  Block inner = {}, outer = {};
  const std::string shorter = key.size() > block_bytes ? sha256_bytes({key}) : std::string(key);
  std::ranges::copy(shorter, inner.begin());
  for (size_t i = 0; i < block_bytes; ++i) {
    outer[i] = static_cast<char>(inner[i] ^ 0x5c);
    inner[i] = static_cast<char>(inner[i] ^ 0x36);
  }
  const std::string digest = sha256_bytes({view(outer), sha256_bytes({view(inner), message})});
  Secret secret;
  std::ranges::copy(digest, secret.begin());
  return secret;
}

Secret hmac_sha256(const Secret& key, std::string_view message) {
  return hmac_sha256(bytes_of(key), message);
}

bool is_same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char different = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    different = static_cast<unsigned char>(different | (a[i] ^ b[i]));
  }
  // Volatile, so that the compiler cannot stop at the first difference.
  return *static_cast<volatile unsigned char*>(&different) == 0;
}

std::string_view bytes_of(const Secret& secret) {
  return {reinterpret_cast<const char*>(secret.data()), secret.size()};
}

}  // namespace slipway
