// The calls of the simulated NVML that nvidia-smi and monitoring programs make beyond those of a
// health check: what a GPU is, and what it could do. Only an idle GPU is simulated.
#include <unistd.h>

#include <cstdlib>

#include "launcher/simulated_nvml/beyond_nvml.h"
#include "launcher/simulated_nvml/device.h"

using namespace slipway::simulated_nvml;

EXPORTED nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int* index) {
  return give(device, index, [&](const Gpu&) { return index_of(device); });
}

EXPORTED nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int* minor) {
  return nvmlDeviceGetIndex(device, minor);
}

EXPORTED nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device,
                                                    nvmlUtilization_t* utilization) {
  return give(device, utilization, [](const Gpu&) { return nvmlUtilization_t{0, 0}; });
}

EXPORTED nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t,
                                                unsigned int* mhz) {
  return give(device, mhz, [](const Gpu&) { return 1980U; });
}

EXPORTED nvmlReturn_t nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t device, unsigned int* gen) {
  return give(device, gen, [](const Gpu&) { return Gpu{}.pcie_generation; });
}

EXPORTED nvmlReturn_t nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t device, unsigned int* lanes) {
  return give(device, lanes, [](const Gpu&) { return Gpu{}.pcie_width; });
}

EXPORTED nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t* current,
                                           nvmlEnableState_t* pending) {
  const nvmlReturn_t result =
      give(device, current, [](const Gpu&) { return NVML_FEATURE_ENABLED; });
  return result == NVML_SUCCESS
             ? give(device, pending, [](const Gpu&) { return NVML_FEATURE_ENABLED; })
             : result;
}

EXPORTED nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int* current,
                                           unsigned int* pending) {
  const nvmlReturn_t result = give(device, current, [](const Gpu&) { return 0U; });
  return result == NVML_SUCCESS ? give(device, pending, [](const Gpu&) { return 0U; }) : result;
}

EXPORTED nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t* mode) {
  return give(device, mode, [](const Gpu&) { return NVML_COMPUTEMODE_DEFAULT; });
}

// Root may set the mode that is set already. Another one would need a driver.
EXPORTED nvmlReturn_t nvmlDeviceSetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t mode) {
  Gpu gpu;
  const nvmlReturn_t found = find_gpu(device, gpu);
  if (found != NVML_SUCCESS) return found;
  if (::geteuid() != 0) return NVML_ERROR_NO_PERMISSION;
  return gpu.persistence == (mode == NVML_FEATURE_ENABLED) ? NVML_SUCCESS
                                                           : NVML_ERROR_NOT_SUPPORTED;
}

// Every pair is connected by NVLink through switches; without it, through the CPUs.
EXPORTED nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t one, nvmlDevice_t other,
                                                          nvmlGpuTopologyLevel_t* level) {
  Gpu gpu;
  const nvmlReturn_t found = find_gpu(other, gpu);
  if (found != NVML_SUCCESS) return found;
  return give(one, level, [&](const Gpu&) {
    return one == other ? NVML_TOPOLOGY_INTERNAL : NVML_TOPOLOGY_SYSTEM;
  });
}

EXPORTED int slipway_simulated_gpu(unsigned index, SimulatedGpu* to) {
  const auto state = current_state();
  if (!state || to == nullptr || index >= state->gpus.size()) return 0;
  const Gpu& gpu = state->gpus[index];
  *to = {};
  to->pci_bus = gpu.pci_bus;
  for (const Xid& xid : gpu.xids) {
    if (to->xids < std::size(to->xid)) to->xid[to->xids++] = xid.xid;
  }
  return 1;
}
