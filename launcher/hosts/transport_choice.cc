// Finds the interfaces of GPUs, and chooses the transport.
#include "launcher/hosts/transport_choice.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/text.h"

namespace slipway::hosts {
namespace {

namespace fs = std::filesystem;

bool fits(const cluster::TransportType::Hardware& wanted, const FoundNic& nic) {
  return wanted.drivers.contains(nic.driver) &&
         (wanted.link_layer.empty() || wanted.link_layer == nic.link_layer);
}

const cluster::TransportType* by_hardware(const cluster::Catalogue& catalogue,
                                          const std::vector<FoundNic>& nics) {
  for (const auto& row : catalogue.transports()) {
    const cluster::TransportType& type = row.second;
    const auto fits_it = [&](const FoundNic& nic) { return fits(type.hardware, nic); };
    if (std::ranges::all_of(nics, fits_it)) return &type;
  }
  return nullptr;
}

// "4 with driver mlx5_core over InfiniBand"
std::string in_words(const std::vector<FoundNic>& nics) {
  const FoundNic& first = nics.front();
  return fmt::format("{} RDMA devices next to GPUs, driver {}{}", nics.size(),
                     first.driver.empty() ? "unknown" : first.driver,
                     first.link_layer.empty() ? "" : ", link layer " + first.link_layer);
}

}  // namespace

GpuNic nearest_gpus(size_t nic, const PciDevice& device, const FoundGpus& gpus) {
  GpuNic nearest{nic, {}, std::nullopt};
  for (size_t i = 0; i < gpus.gpus.size(); ++i) {
    if (!gpus.gpus[i].place) continue;
    const Distance distance = distance_between(device, *gpus.gpus[i].place);
    if (!nearest.distance || distance < *nearest.distance) {
      nearest.distance = distance;
      nearest.gpus.clear();
    }
    if (distance == *nearest.distance) nearest.gpus.push_back(static_cast<int64_t>(i));
  }
  // At this distance, all GPUs are equally near: that says nothing.
  if (nearest.distance == Distance::system) nearest.gpus.clear();
  return nearest;
}

std::vector<GpuNic> gpu_nics(const std::vector<FoundNic>& nics,
                             const std::vector<PciDevice>& devices, const FoundGpus& gpus) {
  std::vector<GpuNic> near, others;
  int64_t fastest = 0;
  if (gpus.gpus.empty()) return near;
  for (size_t i = 0; i < nics.size(); ++i) {
    if (nics[i].rdma_device.empty() || nics[i].has_default_route) continue;
    const auto device = std::ranges::find(devices, nics[i].pci_address, &PciDevice::address);
    if (device == devices.end()) continue;
    GpuNic nic = nearest_gpus(i, *device, gpus);
    if (nic.distance && *nic.distance <= Distance::switches)
      near.push_back(std::move(nic));
    else
      others.push_back(std::move(nic));
    fastest = std::max(fastest, nics[i].gbit);
  }
  if (!near.empty()) return near;
  std::erase_if(others, [&](const GpuNic& nic) { return nics[nic.nic].gbit < fastest; });
  return others;
}

std::string find_libraries(const health::Machine& machine, const cluster::TransportType& type) {
  const NodeTransport::Libraries& libraries = type.node.libraries;
  if (libraries.names.empty()) return "-";
  std::vector<std::string> folders{libraries.folder};
  std::ranges::copy(type.other_folders, std::back_inserter(folders));
  for (const std::string& folder : folders) {
    if (std::ranges::all_of(libraries.names, [&](const std::string& name) {
          return !machine.target(fs::path(folder) / name).empty();
        })) {
      return folder;
    }
  }
  return "";
}

ChosenTransport choose_by_hardware(const health::Machine& machine,
                                   const cluster::Catalogue& catalogue,
                                   const std::vector<FoundNic>& nics) {
  ChosenTransport chosen{&catalogue.transport("socket"), "", "no RDMA device next to a GPU", {}};
  if (nics.empty()) return chosen;
  chosen.origin = in_words(nics);
  const cluster::TransportType* type = by_hardware(catalogue, nics);
  if (type == nullptr) {
    chosen.warnings.push_back(
        fmt::format("no transport of the catalogue fits {}: jobs use sockets", chosen.origin));
    return chosen;
  }
  const std::string folder = find_libraries(machine, *type);
  if (folder.empty()) {
    std::vector<std::string> folders{type->node.libraries.folder};
    std::ranges::copy(type->other_folders, std::back_inserter(folders));
    chosen.warnings.push_back(
        fmt::format("{}, but {} is in none of {}: jobs use sockets until you install it",
                    chosen.origin, join(type->node.libraries.names, ", "), join(folders, ", ")));
    return chosen;
  }
  chosen.type = type;
  if (folder != "-") chosen.folder = folder;
  return chosen;
}

}  // namespace slipway::hosts
