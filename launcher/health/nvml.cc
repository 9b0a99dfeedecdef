// Reads GPUs through NVML.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "common/process_stat.h"
#include "common/text.h"
#include "launcher/health/gpus.h"
#include "launcher/simulated_nvml/library.h"

namespace slipway::health {
namespace {

using nvml::Library;

constexpr unsigned most_processes = 256;

// Converts NVML's "00000000:07:00.0" to the kernel's "0000:07:00.0".
std::string kernel_bus(const std::string& bus) {
  return to_lower(bus.size() == 16 ? bus.substr(4) : bus);
}

std::optional<unsigned> recovery_action(const Library& nvml, nvmlDevice_t gpu) {
  nvmlFieldValue_t field = {};
  field.fieldId = NVML_FI_DEV_GET_GPU_RECOVERY_ACTION;
  const bool is = nvml.call("nvmlDeviceGetFieldValues", gpu, 1, &field) == NVML_SUCCESS &&
                  field.nvmlReturn == NVML_SUCCESS;
  return is ? std::optional(field.value.uiVal) : std::nullopt;
}

std::optional<std::vector<unsigned>> processes_on(const Library& nvml, nvmlDevice_t gpu) {
  std::vector<nvmlProcessInfo_t> found(most_processes);
  unsigned count = most_processes;
  if (nvml.call("nvmlDeviceGetComputeRunningProcesses_v3", gpu, &count, found.data()) !=
      NVML_SUCCESS) {
    return std::nullopt;
  }
  std::vector<unsigned> ids;
  for (unsigned i = 0; i < std::min(count, most_processes); ++i) ids.push_back(found[i].pid);
  return ids;
}

std::optional<unsigned> retired_pages(const Library& nvml, nvmlDevice_t gpu) {
  std::optional<unsigned> sum;
  for (const auto cause : {NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS,
                           NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR}) {
    unsigned count = 0;  // without room for addresses, the call returns their number
    const nvmlReturn_t code = nvml.call("nvmlDeviceGetRetiredPages", gpu, cause, &count,
                                        static_cast<unsigned long long*>(nullptr));
    if (code == NVML_SUCCESS || code == NVML_ERROR_INSUFFICIENT_SIZE) {
      sum = sum.value_or(0) + count;
    }
  }
  return sum;
}

std::optional<uint64_t> ecc_errors(const Library& nvml, nvmlDevice_t gpu,
                                   nvmlMemoryErrorType_t type) {
  return nvml.ask<unsigned long long>("nvmlDeviceGetTotalEccErrors", gpu, type, NVML_VOLATILE_ECC);
}

void read_memory(const Library& nvml, nvmlDevice_t gpu, GpuReading& reading) {
  reading.ecc_corrected = ecc_errors(nvml, gpu, NVML_MEMORY_ERROR_TYPE_CORRECTED);
  reading.ecc_uncorrected = ecc_errors(nvml, gpu, NVML_MEMORY_ERROR_TYPE_UNCORRECTED);
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  if (nvml.call("nvmlDeviceGetRemappedRows", gpu, &corrected, &uncorrected, &pending, &failed) ==
      NVML_SUCCESS) {
    reading.rows_pending = pending;
    reading.rows_failed = failed;
  }
  reading.pages_retired = retired_pages(nvml, gpu);
  if (const auto memory = nvml.ask<nvmlMemory_t>("nvmlDeviceGetMemoryInfo", gpu)) {
    reading.memory_used_bytes = memory->used;
    reading.memory_total_bytes = memory->total;
  }
}

void read_load(const Library& nvml, nvmlDevice_t gpu, GpuReading& reading) {
  reading.power_mw = nvml.ask<unsigned>("nvmlDeviceGetPowerUsage", gpu);
  reading.energy_mj = nvml.ask<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption", gpu);
  if (const auto rates = nvml.ask<nvmlUtilization_t>("nvmlDeviceGetUtilizationRates", gpu)) {
    reading.utilization_percent = rates->gpu;
  }
}

void read_links(const Library& nvml, nvmlDevice_t gpu, GpuReading& reading) {
  for (unsigned link = 0; link < static_cast<unsigned>(most_nvlinks); ++link) {
    const auto state = nvml.ask<nvmlEnableState_t>("nvmlDeviceGetNvLinkState", gpu, link);
    if (!state) break;
    reading.nvlinks.push_back(*state == NVML_FEATURE_ENABLED);
  }
  reading.pcie_generation = nvml.ask<unsigned>("nvmlDeviceGetCurrPcieLinkGeneration", gpu);
  reading.pcie_width = nvml.ask<unsigned>("nvmlDeviceGetCurrPcieLinkWidth", gpu);
  reading.pcie_replays = nvml.ask<unsigned>("nvmlDeviceGetPcieReplayCounter", gpu);
}

void read_state(const Library& nvml, nvmlDevice_t gpu, GpuReading& reading) {
  if (const auto state = nvml.ask<nvmlPstates_t>("nvmlDeviceGetPerformanceState", gpu)) {
    reading.performance_state = static_cast<unsigned>(*state);
  }
  for (const char* name :
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"}) {
    if (!reading.throttle_reasons)
      reading.throttle_reasons = nvml.ask<unsigned long long>(name, gpu);
  }
  reading.celsius = nvml.ask<unsigned>("nvmlDeviceGetTemperature", gpu, NVML_TEMPERATURE_GPU);
  reading.sm_mhz = nvml.ask<unsigned>("nvmlDeviceGetClockInfo", gpu, NVML_CLOCK_SM);
  reading.power_limit_mw = nvml.ask<unsigned>("nvmlDeviceGetEnforcedPowerLimit", gpu);
  reading.default_power_limit_mw =
      nvml.ask<unsigned>("nvmlDeviceGetPowerManagementDefaultLimit", gpu);
  reading.processes = processes_of_gpu({
      [&] { return processes_on(nvml, gpu); },
      [](unsigned id) {
        const auto stat = process_stat(static_cast<pid_t>(id));
        return stat ? stat->start : "";
      },
      [] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); },
  });
  if (const auto mode = nvml.ask<nvmlEnableState_t>("nvmlDeviceGetPersistenceMode", gpu)) {
    reading.persistence = *mode == NVML_FEATURE_ENABLED;
  }
  reading.recovery_action = recovery_action(nvml, gpu);
}

GpuReading read_gpu(const Library& nvml, unsigned index) {
  GpuReading reading;
  reading.index = index;
  nvmlDevice_t gpu = nullptr;
  const nvmlReturn_t found = nvml.call("nvmlDeviceGetHandleByIndex_v2", index, &gpu);
  if (found != NVML_SUCCESS) {
    reading.lost = nvml.words_of(found);
    return reading;
  }
  if (const auto pci = nvml.ask<nvmlPciInfo_t>("nvmlDeviceGetPciInfo_v3", gpu)) {
    reading.bus = kernel_bus(pci->busId);
  }
  reading.uuid = nvml.text("nvmlDeviceGetUUID", gpu);
  reading.name = nvml.text("nvmlDeviceGetName", gpu);
  read_memory(nvml, gpu, reading);
  read_links(nvml, gpu, reading);
  read_state(nvml, gpu, reading);
  read_load(nvml, gpu, reading);
  return reading;
}

}  // namespace

const char* recovery_action_name(unsigned value) {
  constexpr const char* names[] = {"none", "gpu-reset", "node-reboot", "drain-p2p",
                                   "drain-and-reset"};
  return value < std::size(names) ? names[value] : "unknown";
}

std::string GpuReading::label() const {
  return bus.empty() ? fmt::format("GPU {}", index) : fmt::format("GPU {} {}", index, bus);
}

Gpus read_gpus(const std::function<void(const std::string&)>& doing) {
  Gpus gpus;
  doing("loading NVML");
  const Library nvml;
  if (!nvml) {
    gpus.no_library = true;
    gpus.error = "libnvidia-ml.so.1 not found";
    return gpus;
  }
  doing("nvmlInit");
  if (const nvmlReturn_t code = nvml.call("nvmlInit_v2"); code != NVML_SUCCESS) {
    gpus.no_library = code == NVML_ERROR_DRIVER_NOT_LOADED;
    gpus.mismatch = code == NVML_ERROR_LIB_RM_VERSION_MISMATCH;
    gpus.error = nvml.words_of(code);
    return gpus;
  }
  gpus.driver_version = nvml.text("nvmlSystemGetDriverVersion");
  gpus.library_version = nvml.text("nvmlSystemGetNVMLVersion");
  const unsigned count = nvml.ask<unsigned>("nvmlDeviceGetCount_v2").value_or(0);
  for (unsigned i = 0; i < count; ++i) {
    doing(fmt::format("reading GPU {}", i));
    gpus.gpus.push_back(read_gpu(nvml, i));
  }
  return gpus;
}

void watch_xids(const std::function<void()>& ready, const std::function<bool(const Xid&)>& tell) {
  constexpr unsigned a_while_ms = 60'000;  // then wait again
  const Library nvml;
  if (!nvml || nvml.call("nvmlInit_v2") != NVML_SUCCESS) return;
  const auto set = nvml.ask<nvmlEventSet_t>("nvmlEventSetCreate");
  const unsigned count = nvml.ask<unsigned>("nvmlDeviceGetCount_v2").value_or(0);
  if (!set || count == 0) return;
  for (unsigned i = 0; i < count; ++i) {
    const auto gpu = nvml.ask<nvmlDevice_t>("nvmlDeviceGetHandleByIndex_v2", i);
    if (!gpu || nvml.call("nvmlDeviceRegisterEvents", *gpu, nvmlEventTypeXidCriticalError, *set) !=
                    NVML_SUCCESS) {
      return;  // some of the GPUs are not enough: the kernel log covers all
    }
  }
  ready();
  for (;;) {
    nvmlEventData_t event = {};
    const nvmlReturn_t code = nvml.call("nvmlEventSetWait_v2", *set, &event, a_while_ms);
    if (code == NVML_ERROR_TIMEOUT) continue;
    if (code != NVML_SUCCESS) return;
    const auto pci = nvml.ask<nvmlPciInfo_t>("nvmlDeviceGetPciInfo_v3", event.device);
    if (pci && !tell({kernel_bus(pci->busId), static_cast<int>(event.eventData)})) return;
  }
}

namespace {

// Asks NVML the same of every GPU. False if there is none, or if one does not answer.
template <class Ask>
bool ask_every_gpu(const std::function<void(const std::string&)>& doing, const char* what,
                   const Ask& ask) {
  doing("loading NVML");
  const Library nvml;
  if (!nvml) return false;
  doing("nvmlInit");
  if (nvml.call("nvmlInit_v2") != NVML_SUCCESS) return false;
  const unsigned count = nvml.ask<unsigned>("nvmlDeviceGetCount_v2").value_or(0);
  for (unsigned i = 0; i < count; ++i) {
    doing(fmt::format("reading the {} of GPU {}", what, i));
    nvmlDevice_t gpu = nullptr;
    if (nvml.call("nvmlDeviceGetHandleByIndex_v2", i, &gpu) != NVML_SUCCESS || !ask(nvml, gpu))
      return false;
  }
  return count > 0;
}

}  // namespace

std::optional<uint64_t> read_gpu_energy_mj(const std::function<void(const std::string&)>& doing) {
  uint64_t sum = 0;
  const auto add = [&](const Library& nvml, nvmlDevice_t gpu) {
    const auto taken = nvml.ask<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption", gpu);
    sum += taken.value_or(0);
    return taken.has_value();
  };
  return ask_every_gpu(doing, "energy", add) ? std::optional(sum) : std::nullopt;
}

std::optional<std::vector<unsigned>> read_gpu_utilization(
    const std::function<void(const std::string&)>& doing) {
  std::vector<unsigned> all;
  const auto add = [&](const Library& nvml, nvmlDevice_t gpu) {
    const auto rates = nvml.ask<nvmlUtilization_t>("nvmlDeviceGetUtilizationRates", gpu);
    if (rates) all.push_back(rates->gpu);
    return rates.has_value();
  };
  return ask_every_gpu(doing, "utilization", add) ? std::optional(all) : std::nullopt;
}

}  // namespace slipway::health
