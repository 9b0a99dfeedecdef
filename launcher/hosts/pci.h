// The PCI devices of a machine, and how far apart two of them are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/health/machine.h"

namespace slipway::hosts {

struct PciDevice {
  std::string address;             // "0000:18:00.0"
  std::string vendor, device;      // four hexadecimal digits, "10de"
  std::string kind;                // the first four digits of its class, "0302"
  std::string driver;              // "mlx5_core"; empty without one
  int64_t numa_node = -1;          // -1: the machine does not say
  std::vector<std::string> above;  // from the host bridge ("pci0000:15") down to the device's port
};

// Distances as NVIDIA's programs name them: NCCL_P2P_LEVEL, `nvidia-smi topo -m`.
enum class Distance {
  one_switch,   // PIX: at most one PCI switch between them
  switches,     // PXB: several switches, but not the host bridge
  host_bridge,  // PHB: through a host bridge, usually the CPU
  numa_node,    // NODE: between host bridges of a NUMA node
  system,       // SYS: between NUMA nodes
};

const char* name_of(Distance distance);  // "PIX"

// All devices, by address.
std::vector<PciDevice> read_pci_devices(const health::Machine& machine);

Distance distance_between(const PciDevice& a, const PciDevice& b);

}  // namespace slipway::hosts
