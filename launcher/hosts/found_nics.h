// The network interfaces and RDMA devices that a machine has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/health/machine.h"
#include "launcher/hosts/pci.h"

namespace slipway::hosts {

struct FoundNic {
  std::string name;         // "ibp24s0"; the RDMA device's name if Linux has no interface for it
  std::string rdma_device;  // "mlx5_0"; empty without RDMA
  std::string link_layer;   // of its RDMA port: "InfiniBand", "Ethernet", "Unspecified"
  std::string pci_address;  // empty: not on the PCI bus
  std::string driver;       // "mlx5_core"
  int64_t mtu_bytes = 0;
  int64_t gbit = 0;       // of the RDMA port; 0 if unknown
  bool ethernet = false;  // carries IP packets over Ethernet
  bool up = false;        // has a carrier, or its RDMA port is active
  bool has_default_route = false;
};

// In the order of names; without loopback, bridges, tunnels and members of bonds.
std::vector<FoundNic> read_nics(const health::Machine& machine,
                                const std::vector<PciDevice>& devices);

}  // namespace slipway::hosts
