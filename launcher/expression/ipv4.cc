// IPv4 ranges in CIDR notation.
#include "launcher/expression/ipv4.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace slipway::expression {

std::optional<Ipv4Range> parse_ipv4_range(const std::string& text) {
  if (text.find_first_not_of("0123456789./") != std::string::npos) return std::nullopt;
  unsigned a = 0, b = 0, c = 0, d = 0;
  int prefix = 0;
  int length = 0;
  const int read =
      std::sscanf(text.c_str(), "%3u.%3u.%3u.%3u/%2d%n", &a, &b, &c, &d, &prefix, &length);
  if (read != 5 || static_cast<size_t>(length) != text.size()) return std::nullopt;
  if (std::max({a, b, c, d}) > 255 || prefix > 32) return std::nullopt;
  const Ipv4Range range{a << 24 | b << 16 | c << 8 | d, prefix};
  const uint64_t behind = (uint64_t{1} << (32 - prefix)) - 1;
  return (range.address & behind) == 0 ? std::optional(range) : std::nullopt;
}

std::string to_text(const Ipv4Range& range) {
  const uint32_t address = range.address;
  return fmt::format("{}.{}.{}.{}/{}", address >> 24, address >> 16 & 255, address >> 8 & 255,
                     address & 255, range.prefix);
}

}  // namespace slipway::expression
