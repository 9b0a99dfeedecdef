// Makes text safe to print.
#include "spank-plugins/spank/printable.h"

#include <fmt/core.h>

namespace slipway::spank {

std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace slipway::spank
