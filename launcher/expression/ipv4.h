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

// Parses "10.0.0.0/9"; nothing if the text is not a range or has bits set after its prefix.
std::optional<Ipv4Range> parse_ipv4_range(const std::string& text);

// True if the ranges have an address in common.
bool overlap(const Ipv4Range& a, const Ipv4Range& b);

// True if a network can use the range: it has no loopback, multicast or reserved addresses.
bool is_usable_network(const Ipv4Range& range);

std::string to_text(const Ipv4Range& range);

}  // namespace slipway::expression
