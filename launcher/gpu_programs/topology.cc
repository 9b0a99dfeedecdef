// nvidia-smi topo -m and nvlink -s: how the GPUs of a machine are connected.
#include <algorithm>

#include "launcher/gpu_programs/views.h"

namespace slipway::gpu_programs {
namespace {

constexpr unsigned most_links = 36;

std::vector<bool> links_of(const Device& gpu) {
  std::vector<bool> links;
  for (unsigned link = 0; link < most_links; ++link) {
    const auto state =
        gpu.library->ask<nvmlEnableState_t>("nvmlDeviceGetNvLinkState", gpu.handle, link);
    if (!state) break;
    links.push_back(*state == NVML_FEATURE_ENABLED);
  }
  return links;
}

size_t links_up(const Device& gpu) {
  size_t up = 0;
  for (const bool link : links_of(gpu)) up += link ? 1 : 0;
  return up;
}

// Through NVSwitches each GPU reaches every other over all its links. Without NVLink, NVML's level.
std::string connection(const Device& one, const Device& other) {
  if (one.index == other.index) return "X";
  const size_t links = std::min(links_up(one), links_up(other));
  if (links > 0) return fmt::format("NV{}", links);
  const auto level = one.library->ask<nvmlGpuTopologyLevel_t>("nvmlDeviceGetTopologyCommonAncestor",
                                                              one.handle, other.handle);
  constexpr const char* names[] = {"X", "PIX", "PXB", "PHB", "NODE", "SYS"};
  const auto at = level ? static_cast<size_t>(*level) / 10 : std::size(names);
  return at < std::size(names) ? names[at] : "SYS";
}

// In MB/s.
unsigned link_speed(const Device& gpu) {
  nvmlFieldValue_t value = {};
  value.fieldId = NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON;
  const bool is =
      gpu.library->call("nvmlDeviceGetFieldValues", gpu.handle, 1, &value) == NVML_SUCCESS &&
      value.nvmlReturn == NVML_SUCCESS;
  return is ? value.value.uiVal : 0;
}

}  // namespace

std::string topology(const std::vector<Device>& gpus) {
  std::string text = "\t";
  for (const Device& gpu : gpus) text += fmt::format("GPU{}\t", gpu.index);
  text += "CPU Affinity\tNUMA Affinity\tGPU NUMA ID\n";
  for (const Device& one : gpus) {
    text += fmt::format("GPU{}\t", one.index);
    for (const Device& other : gpus) text += fmt::format("{:^5}\t", connection(one, other));
    text += "N/A\t\tN/A\t\tN/A\n";
  }
  return text +
         "\nLegend:\n\n"
         "  X    = Self\n"
         "  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes "
         "(e.g., QPI/UPI)\n"
         "  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host "
         "Bridges within a NUMA node\n"
         "  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)\n"
         "  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host "
         "Bridge)\n"
         "  PIX  = Connection traversing at most a single PCIe bridge\n"
         "  NV#  = Connection traversing a bonded set of # NVLinks\n";
}

std::string nvlinks(const std::vector<Device>& gpus) {
  std::string all;
  for (const Device& gpu : gpus) {
    all += list({gpu});
    const unsigned speed = link_speed(gpu);
    size_t link = 0;
    for (const bool up : links_of(gpu)) {
      const std::string state = !up         ? "<inactive>"
                                : speed > 0 ? fmt::format("{:.3f} GB/s", speed / 1000.0)
                                            : "<active>";
      all += fmt::format("\t Link {}: {}\n", link++, state);
    }
  }
  return all;
}

}  // namespace slipway::gpu_programs
