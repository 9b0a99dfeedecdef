// The catalogue's hardware.yaml: how machines that no blueprint describes are recognized.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::hosts {

struct HardwareTable {
  struct Gpu {
    std::vector<std::string> models;  // names of one model; the first is what profiles have
    std::set<std::string> devices;    // PCI device ids, "2330"
    std::string name;                 // part of NVML's name
  };

  // A complete machine, by what its firmware says.
  struct Machine {
    std::string name;     // "dgx-h100"
    std::string vendor;   // "NVIDIA"
    std::string product;  // "DGXH100*"; `*` stands for any text
    int64_t gpus = 0;
    int64_t gpu_nics = 0;  // RDMA devices next to GPUs
  };

  std::set<std::string> gpu_vendors;  // PCI vendor ids, "10de"
  std::set<std::string> gpu_classes;  // PCI classes, "0302"
  std::vector<Gpu> gpus;
  std::vector<Machine> machines;
  std::set<std::string> named_by_product;     // vendors whose product is the machine type
  std::set<std::string> cloud_vendors;        // vendors whose machine types machines.yaml has
  std::set<std::string> shared_file_systems;  // "nfs4"

  // nullptr if no row fits.
  const Gpu* by_device(std::string_view device) const;
  const Gpu* by_name(std::string_view nvml_name) const;
  const Machine* by_firmware(std::string_view vendor, std::string_view product) const;
};

// Reads hardware.yaml of `folder` (<blueprints>/catalogue). Throws Error with all its problems.
HardwareTable load_hardware_table(const std::filesystem::path& folder);

}  // namespace slipway::hosts
