// Reads escapes in quoted strings of expressions.
#include "launcher/expression/escape.h"

#include <cstdlib>

#include "launcher/expression/unicode.h"

namespace slipway::expression {

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
