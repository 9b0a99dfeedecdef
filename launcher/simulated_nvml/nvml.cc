// A simulated libnvidia-ml.so.1, which needs neither GPU nor driver and answers from a file.
//
// Nodes of a local cluster whose machine type has GPUs see it in place of NVIDIA's library. It has
// only the calls that a health check makes; other symbols are missing. Healthy values are
// constants; values that a fault can change come from the file.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "launcher/simulated_nvml/device.h"

namespace {

using namespace slipway::simulated_nvml;

constexpr unsigned most_gpus = 64;
constexpr unsigned long long memory_bytes = 80ULL << 30;
constexpr unsigned nvlinks = 18;
constexpr unsigned idle_milliwatts = 70'000;

std::atomic<int> users = 0;
char handles[most_gpus];  // a device handle is the address of its element here

nvmlDevice_t handle_of(unsigned index) {
  return reinterpret_cast<nvmlDevice_t>(&handles[index]);
}

nvmlPciInfo_t pci_of(const Gpu& gpu) {
  nvmlPciInfo_t pci = {};
  pci.bus = gpu.pci_bus;
  std::snprintf(pci.busIdLegacy, sizeof pci.busIdLegacy, "0000:%02X:00.0", gpu.pci_bus);
  std::snprintf(pci.busId, sizeof pci.busId, "00000000:%02X:00.0", gpu.pci_bus);
  return pci;
}

}  // namespace

namespace slipway::simulated_nvml {

nvmlReturn_t find_gpu(nvmlDevice_t device, Gpu& gpu) {
  if (users == 0) return NVML_ERROR_UNINITIALIZED;
  const auto state = current_state();
  if (!state) return NVML_ERROR_UNKNOWN;
  const char* const place = reinterpret_cast<const char*>(device);
  if (place < handles || place >= handles + state->gpus.size()) return NVML_ERROR_INVALID_ARGUMENT;
  gpu = state->gpus[static_cast<size_t>(place - handles)];
  return gpu.lost ? NVML_ERROR_GPU_IS_LOST : NVML_SUCCESS;
}

unsigned index_of(nvmlDevice_t device) {
  return static_cast<unsigned>(reinterpret_cast<const char*>(device) - handles);
}

}  // namespace slipway::simulated_nvml

// A program waiting for events of some GPUs.
struct nvmlEventSet_st {
  unsigned long long devices = 0;  // a bit for each
  long seen = 0;                   // number of the last event that was delivered
};

EXPORTED nvmlReturn_t nvmlInit_v2() {
  const auto state = current_state();
  if (!state) return NVML_ERROR_DRIVER_NOT_LOADED;
  if (state->mismatch) return NVML_ERROR_LIB_RM_VERSION_MISMATCH;
  ++users;
  return NVML_SUCCESS;
}

EXPORTED nvmlReturn_t nvmlInitWithFlags(unsigned int) {
  return nvmlInit_v2();
}

EXPORTED nvmlReturn_t nvmlShutdown() {
  if (users == 0) return NVML_ERROR_UNINITIALIZED;
  --users;
  return NVML_SUCCESS;
}

EXPORTED const char* nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
    case NVML_SUCCESS:
      return "Success";
    case NVML_ERROR_UNINITIALIZED:
      return "Uninitialized";
    case NVML_ERROR_INVALID_ARGUMENT:
      return "Invalid Argument";
    case NVML_ERROR_NOT_SUPPORTED:
      return "Not Supported";
    case NVML_ERROR_NO_PERMISSION:
      return "Insufficient Permissions";
    case NVML_ERROR_NOT_FOUND:
      return "Not Found";
    case NVML_ERROR_INSUFFICIENT_SIZE:
      return "Insufficient Size";
    case NVML_ERROR_DRIVER_NOT_LOADED:
      return "Driver Not Loaded";
    case NVML_ERROR_TIMEOUT:
      return "Timeout";
    case NVML_ERROR_GPU_IS_LOST:
      return "GPU is lost";
    case NVML_ERROR_LIB_RM_VERSION_MISMATCH:
      return "Driver/library version mismatch";
    default:
      return "Unknown Error";
  }
}

EXPORTED nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned int length) {
  if (users == 0) return NVML_ERROR_UNINITIALIZED;
  const auto state = current_state();
  return state ? copy_text(state->driver_version, version, length) : NVML_ERROR_UNKNOWN;
}

EXPORTED nvmlReturn_t nvmlSystemGetNVMLVersion(char* version, unsigned int length) {
  return users == 0 ? NVML_ERROR_UNINITIALIZED : copy_text("0.simulated", version, length);
}

EXPORTED nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int* count) {
  if (users == 0) return NVML_ERROR_UNINITIALIZED;
  const auto state = current_state();
  if (!state) return NVML_ERROR_UNKNOWN;
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *count = static_cast<unsigned>(state->gpus.size());
  return NVML_SUCCESS;
}

EXPORTED nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t* device) {
  if (device == nullptr || index >= most_gpus) return NVML_ERROR_INVALID_ARGUMENT;
  Gpu gpu;
  const nvmlReturn_t found = find_gpu(handle_of(index), gpu);
  if (found == NVML_SUCCESS) *device = handle_of(index);
  return found;
}

EXPORTED nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  if (users == 0) return NVML_ERROR_UNINITIALIZED;
  if (uuid == nullptr || device == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const auto state = current_state();
  for (unsigned i = 0; state && i < state->gpus.size() && i < most_gpus; ++i) {
    if (state->gpus[i].uuid != uuid) continue;
    *device = handle_of(i);
    return state->gpus[i].lost ? NVML_ERROR_GPU_IS_LOST : NVML_SUCCESS;
  }
  return NVML_ERROR_NOT_FOUND;
}

EXPORTED nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned int length) {
  Gpu gpu;
  const nvmlReturn_t found = find_gpu(device, gpu);
  return found == NVML_SUCCESS ? copy_text(gpu.uuid, uuid, length) : found;
}

EXPORTED nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned int length) {
  Gpu gpu;
  const nvmlReturn_t found = find_gpu(device, gpu);
  return found == NVML_SUCCESS ? copy_text(gpu.name, name, length) : found;
}

EXPORTED nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  return give(device, pci, pci_of);
}

EXPORTED nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory) {
  return give(device, memory, [](const Gpu&) {
    return nvmlMemory_t{memory_bytes, memory_bytes, 0};
  });
}

EXPORTED nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t,
                                               unsigned int* celsius) {
  return give(device, celsius, [](const Gpu& gpu) { return gpu.celsius; });
}

EXPORTED nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t,
                                             unsigned int* mhz) {
  return give(device, mhz, [](const Gpu& gpu) { return gpu.throttled ? 345U : 1980U; });
}

namespace {

double seconds_since_start() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since_start).count();
}

}  // namespace

EXPORTED nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int* milliwatts) {
  return give(device, milliwatts, [](const Gpu& gpu) {
    return gpu.power.empty()
               ? idle_milliwatts
               : static_cast<unsigned>(1000 * watts_at(gpu.power, seconds_since_start()));
  });
}

// Since the driver was loaded, which here is when the node started.
EXPORTED nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device,
                                                          unsigned long long* millijoules) {
  const double seconds = seconds_since_start();
  return give(device, millijoules, [&](const Gpu& gpu) {
    const double joules =
        gpu.power.empty() ? seconds * idle_milliwatts / 1000 : joules_until(gpu.power, seconds);
    return static_cast<unsigned long long>(1000 * joules);
  });
}

EXPORTED nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type,
                                                  nvmlEccCounterType_t, unsigned long long* count) {
  return give(device, count, [&](const Gpu& gpu) {
    return type == NVML_MEMORY_ERROR_TYPE_UNCORRECTED ? gpu.ecc_uncorrected : gpu.ecc_corrected;
  });
}

// GPUs before Ampere retire pages; since Ampere, rows are remapped. The pages here were retired for
// uncorrectable errors.
EXPORTED nvmlReturn_t nvmlDeviceGetRetiredPages(nvmlDevice_t device,
                                                nvmlPageRetirementCause_t cause,
                                                unsigned int* count, unsigned long long*) {
  return give(device, count, [&](const Gpu& gpu) {
    return cause == NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR ? gpu.pages_retired : 0U;
  });
}

EXPORTED nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t device, unsigned int* corrected,
                                                unsigned int* uncorrected, unsigned int* pending,
                                                unsigned int* failed) {
  Gpu gpu;
  const nvmlReturn_t found = find_gpu(device, gpu);
  if (found != NVML_SUCCESS) return found;
  if (corrected == nullptr || uncorrected == nullptr || pending == nullptr || failed == nullptr) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  *corrected = *uncorrected = 0;
  // A row with an uncorrectable error is remapped at the next reset.
  *pending = gpu.ecc_uncorrected > 0 ? 1U : 0U;
  *failed = gpu.remap_failed ? 1U : 0U;
  return NVML_SUCCESS;
}

EXPORTED nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned int link,
                                               nvmlEnableState_t* active) {
  if (link >= nvlinks) return NVML_ERROR_INVALID_ARGUMENT;
  return give(device, active, [&](const Gpu& gpu) {
    return static_cast<int>(link) == gpu.nvlink_down ? NVML_FEATURE_DISABLED : NVML_FEATURE_ENABLED;
  });
}

EXPORTED nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t device, unsigned int* gen) {
  return give(device, gen, [](const Gpu& gpu) { return gpu.pcie_generation; });
}

EXPORTED nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t device, unsigned int* lanes) {
  return give(device, lanes, [](const Gpu& gpu) { return gpu.pcie_width; });
}

EXPORTED nvmlReturn_t nvmlDeviceGetPcieReplayCounter(nvmlDevice_t device, unsigned int* replays) {
  return give(device, replays, [](const Gpu& gpu) { return gpu.pcie_replays; });
}

EXPORTED nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t* state) {
  return give(device, state, [](const Gpu&) { return NVML_PSTATE_0; });
}

EXPORTED nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device,
                                                      unsigned int* milliwatts) {
  return give(device, milliwatts, [](const Gpu& gpu) { return gpu.power_limit_watts * 1000; });
}

EXPORTED nvmlReturn_t nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t device,
                                                               unsigned int* milliwatts) {
  return give(device, milliwatts, [](const Gpu&) { return 700'000U; });
}

namespace {

constexpr unsigned nvlink_mb_per_s = 26'562;  // of Hopper

void give_field(const Gpu& gpu, nvmlFieldValue_t& field) {
  std::optional<unsigned> value;
  if (field.fieldId == NVML_FI_DEV_GET_GPU_RECOVERY_ACTION && gpu.recovery_action >= 0) {
    value = static_cast<unsigned>(gpu.recovery_action);
  } else if (field.fieldId == NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON) {
    value = nvlink_mb_per_s;
  }
  field.nvmlReturn = value ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
  field.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
  if (value) field.value.uiVal = *value;
}

}  // namespace

EXPORTED nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count,
                                               nvmlFieldValue_t* values) {
  Gpu gpu;
  const nvmlReturn_t found = find_gpu(device, gpu);
  if (found != NVML_SUCCESS) return found;
  if (count <= 0 || values == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  for (int i = 0; i < count; ++i) give_field(gpu, values[i]);
  return NVML_SUCCESS;
}

EXPORTED nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device,
                                                                unsigned long long* reasons) {
  return give(device, reasons, [](const Gpu& gpu) {
    return gpu.throttled ? nvmlClocksThrottleReasonHwThermalSlowdown : 0ULL;
  });
}

EXPORTED nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device,
                                                             unsigned long long* reasons) {
  return nvmlDeviceGetCurrentClocksThrottleReasons(device, reasons);
}

EXPORTED nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device,
                                                              unsigned int* count,
                                                              nvmlProcessInfo_t* processes) {
  Gpu gpu;
  const nvmlReturn_t found = find_gpu(device, gpu);
  if (found != NVML_SUCCESS) return found;
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const unsigned room = *count;
  *count = gpu.process != 0 ? 1 : 0;
  if (*count > room) return NVML_ERROR_INSUFFICIENT_SIZE;
  if (*count == 1 && processes != nullptr) {
    *processes = {};
    processes->pid = gpu.process;
  }
  return NVML_SUCCESS;
}

EXPORTED nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  return give(device, mode, [](const Gpu& gpu) {
    return gpu.persistence ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
  });
}

EXPORTED nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t* set) {
  if (users == 0) return NVML_ERROR_UNINITIALIZED;
  const auto state = current_state();
  if (!state) return NVML_ERROR_UNKNOWN;
  if (set == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *set = new nvmlEventSet_st{0, state->last_event};
  return NVML_SUCCESS;
}

EXPORTED nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
  delete set;
  return NVML_SUCCESS;
}

EXPORTED nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types,
                                               nvmlEventSet_t set) {
  Gpu gpu;
  const nvmlReturn_t found = find_gpu(device, gpu);
  if (found != NVML_SUCCESS) return found;
  if (set == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if ((types & ~nvmlEventTypeXidCriticalError) != 0) return NVML_ERROR_NOT_SUPPORTED;
  set->devices |= 1ULL << index_of(device);
  return NVML_SUCCESS;
}

EXPORTED nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t* data,
                                          unsigned int timeout_ms) {
  if (users == 0) return NVML_ERROR_UNINITIALIZED;
  if (set == nullptr || data == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  for (;;) {
    const auto state = current_state();
    if (!state) return NVML_ERROR_UNKNOWN;
    const Xid* next = nullptr;
    for (unsigned i = 0; i < state->gpus.size() && i < most_gpus; ++i) {
      if ((set->devices >> i & 1) == 0) continue;
      for (const Xid& xid : state->gpus[i].xids) {
        if (xid.number <= set->seen || (next != nullptr && xid.number > next->number)) continue;
        next = &xid;
        *data = {};
        data->device = handle_of(i);
        data->eventType = nvmlEventTypeXidCriticalError;
        data->eventData = static_cast<unsigned long long>(xid.xid);
      }
    }
    if (next != nullptr) {
      set->seen = next->number;
      return NVML_SUCCESS;
    }
    if (std::chrono::steady_clock::now() >= end) return NVML_ERROR_TIMEOUT;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}
