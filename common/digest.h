// A digest that shows whether a text has changed since something was made from it.
#pragma once

#include <cstdint>
#include <string_view>

namespace slipway {

// 64-bit FNV-1a. It detects accidental changes, not deliberate ones.
constexpr uint64_t digest_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace slipway
