// IPv4 ranges in CIDR notation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace slipway::expression {

struct Ipv4Range {
  uint32_t address = 0;  // the first one, in host byte order
  int prefix = 0;        // bits, 0 to 32
};

// "10.0.0.0/9"; nothing for what is no range, or has bits set behind its prefix.
std::optional<Ipv4Range> parse_ipv4_range(const std::string& text);

// True when there is an address in both.
bool overlap(const Ipv4Range& a, const Ipv4Range& b);

// A range that a network of machines can have: not of loopback, multicast or reserved addresses.
bool is_for_machines(const Ipv4Range& range);

std::string to_text(const Ipv4Range& range);

}  // namespace slipway::expression
