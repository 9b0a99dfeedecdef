// The GPUs that a machine has, from the PCI bus and from NVML.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "launcher/health/gpus.h"
#include "launcher/hosts/hardware_table.h"
#include "launcher/hosts/pci.h"

namespace slipway::hosts {

struct FoundGpus {
  struct Gpu {
    std::string address;             // "0000:1b:00.0"
    std::string device;              // "/dev/nvidia0"
    std::optional<PciDevice> place;  // empty if it is not on this machine's PCI bus: simulated
  };

  std::vector<Gpu> gpus;            // in NVML's order, that of PCI addresses
  std::vector<std::string> models;  // names of their model; empty without GPUs
  std::string origin;               // "NVML" or "PCI devices 10de:2330"
  std::string model_origin;
  std::vector<std::string> warnings;
};

// What NVML says, asked in a process that is killed if the driver hangs. Gpus::error says why it
// does not answer.
health::Gpus ask_nvml(std::chrono::milliseconds deadline);

// `nvml`: what NVML says; where it says nothing, the PCI bus counts.
FoundGpus find_gpus(const health::Machine& machine, const std::vector<PciDevice>& devices,
                    const health::Gpus& nvml, const HardwareTable& table);

}  // namespace slipway::hosts
