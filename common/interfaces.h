// The network interfaces of this machine, or of this process's network namespace, that have an IPv4
// address (getifaddrs(3)).
#pragma once

#include <string>
#include <vector>

namespace slipway {

struct Ipv4Interface {
  std::string name, address;  // "eth0", "192.0.2.7"
  int prefix_length = 0;      // 24 for a netmask of 255.255.255.0
  bool up = false, loopback = false;
};

// One for each address; in the kernel's order. Throws Error.
std::vector<Ipv4Interface> ipv4_interfaces();

}  // namespace slipway
