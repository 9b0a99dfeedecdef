// Escapes in quoted strings of expressions.
#include "launcher/expression/escape.h"

#include <cstdlib>

namespace slipway::expression {
namespace {

void append_utf8(char32_t point, std::string& out) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0 | (point >> 6));
    tail(0);
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0 | (point >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | ((point >> 18) & 0x07));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

size_t read_escape(std::string_view text, std::string& out) {
  if (text.size() < 2 || text[0] != '\\') return 0;
  constexpr std::string_view kinds = "ntr\"\\";
  constexpr std::string_view meant = "\n\t\r\"\\";
  const char kind = text[1];
  if (const size_t at = kinds.find(kind); at != std::string_view::npos) {
    out += meant[at];
    return 2;
  }
  const size_t digits = kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
  const std::string hex(text.substr(2, digits));
  const bool valid = digits > 0 && hex.size() == digits &&
                     hex.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  if (!valid) return 0;
  append_utf8(static_cast<char32_t>(std::strtoul(hex.c_str(), nullptr, 16)), out);
  return 2 + digits;
}

}  // namespace slipway::expression
