// A digest that tells whether a text is the one that something was made from.
#pragma once

#include <cstdint>
#include <string_view>

namespace slipway {

// FNV-1a, of 64 bits: it tells that somebody has changed a text, not that he wanted to hide it.
constexpr uint64_t digest_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace slipway
