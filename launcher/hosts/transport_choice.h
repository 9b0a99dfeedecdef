// Which of a machine's interfaces serve its GPUs, and which transport follows from them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/cluster/catalogue.h"
#include "launcher/hosts/found_gpus.h"
#include "launcher/hosts/found_nics.h"

namespace slipway::hosts {

// An RDMA device for GPU traffic, and the GPUs that are nearest to it.
struct GpuNic {
  size_t nic = 0;  // index in the list of interfaces
  std::vector<int64_t> gpus;
  std::optional<Distance> distance;  // empty: GPU or interface is not on the PCI bus
};

// The GPUs that are nearest to a device, which is interface `nic`.
GpuNic nearest_gpus(size_t nic, const PciDevice& device, const FoundGpus& gpus);

// RDMA devices that share a PCI switch with a GPU. If none does, as in many virtual machines: the
// fastest RDMA devices that do not have the default route.
std::vector<GpuNic> gpu_nics(const std::vector<FoundNic>& nics,
                             const std::vector<PciDevice>& devices, const FoundGpus& gpus);

struct ChosenTransport {
  const cluster::TransportType* type = nullptr;
  std::string folder;  // where its libraries are
  std::string origin;
  std::vector<std::string> warnings;
};

// By the hardware of `nics`, and whether the transport's libraries are there; otherwise sockets.
ChosenTransport choose_by_hardware(const health::Machine& machine,
                                   const cluster::Catalogue& catalogue,
                                   const std::vector<FoundNic>& nics);

// Whether all libraries of a transport are in one of its folders: which one. Empty: they are not.
// "-" if it has none.
std::string find_libraries(const health::Machine& machine, const cluster::TransportType& type);

}  // namespace slipway::hosts
