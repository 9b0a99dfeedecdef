// IPv4 subnets and the addresses in them.
#pragma once

#include <cstdint>
#include <string>

namespace slipway::local {

struct Subnet {
  uint32_t base = 0;  // host byte order, host bits zero
  int prefix_bits = 0;

  // Parses "10.0.0.0/16". Throws Error on anything else.
  static Subnet parse(const std::string& cidr);

  // The range itself, "10.0.0.0/16".
  std::string range() const;

  // Number of addresses for nodes. Google Cloud reserves four in each subnet: the first two
  // (network, gateway) and the last two (docs.cloud.google.com/vpc/docs/subnets).
  uint32_t usable() const;

  // The i-th node address, "10.0.0.2/16" for i = 0. Throws Error unless i is below usable().
  std::string address(uint32_t i) const;

  // The second address of the subnet, "10.0.0.1/16".
  std::string gateway() const;
};

}  // namespace slipway::local
