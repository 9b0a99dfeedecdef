// IPv4 ranges in CIDR notation.
#include "launcher/expression/ipv4.h"

#include <fmt/core.h>

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
  const uint64_t host_mask = (uint64_t{1} << (32 - prefix)) - 1;
  return (range.address & host_mask) == 0 ? std::optional(range) : std::nullopt;
}

bool overlap(const Ipv4Range& a, const Ipv4Range& b) {
  const int prefix = std::min(a.prefix, b.prefix);
  return uint64_t{a.address} >> (32 - prefix) == uint64_t{b.address} >> (32 - prefix);
}

bool is_usable_network(const Ipv4Range& range) {
  constexpr Ipv4Range this_network{0, 8}, loopback{127u << 24, 8}, multicast_and_up{224u << 24, 3};
  return !overlap(range, this_network) && !overlap(range, loopback) &&
         !overlap(range, multicast_and_up);
}

std::string to_text(const Ipv4Range& range) {
  const uint32_t address = range.address;
  return fmt::format("{}.{}.{}.{}/{}", address >> 24, address >> 16 & 255, address >> 8 & 255,
                     address & 255, range.prefix);
}

}  // namespace slipway::expression
