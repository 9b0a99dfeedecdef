// The fields that nvidia-smi can be asked for. Names and units: NVIDIA's nvidia-smi documentation.
#include "launcher/gpu_programs/fields.h"

#include <algorithm>
#include <utility>

namespace slipway::gpu_programs {
namespace {

using Text = std::optional<std::string>;

// A field whose value one NVML call returns as a number.
template <class Value, class... Given>
std::optional<Value> number(const Row& row, const char* call, Given... given) {
  return row.gpu.library->ask<Value>(call, row.gpu.handle, given...);
}

template <class Value>
Text plain(const std::optional<Value>& value) {
  return value ? Text(std::to_string(*value)) : std::nullopt;
}

Text text(const Row& row, const char* call) {
  std::string found = row.gpu.library->text(call, row.gpu.handle);
  return found.empty() ? std::nullopt : Text(std::move(found));
}

Text on_or_off(const std::optional<nvmlEnableState_t>& state) {
  if (!state) return std::nullopt;
  return *state == NVML_FEATURE_ENABLED ? "Enabled" : "Disabled";
}

// Of a call that returns what is set now, and what will be after a reset.
template <class Value>
Text mode(const Row& row, const char* call, bool pending) {
  Value now{}, next{};
  if (row.gpu.library->call(call, row.gpu.handle, &now, &next) != NVML_SUCCESS) return {};
  return (pending ? next : now) != Value{} ? "Enabled" : "Disabled";
}

Text memory(const Row& row, unsigned long long nvmlMemory_t::*part) {
  const auto found = number<nvmlMemory_t>(row, "nvmlDeviceGetMemoryInfo");
  return found ? Text(std::to_string((*found).*part >> 20)) : std::nullopt;
}

Text watts(const Row& row, const char* call) {
  const auto milliwatts = number<unsigned>(row, call);
  return milliwatts ? Text(fmt::format("{:.2f}", *milliwatts / 1000.0)) : std::nullopt;
}

Text clock(const Row& row, const char* call, nvmlClockType_t which) {
  return plain(number<unsigned>(row, call, which));
}

Text ecc(const Row& row, nvmlMemoryErrorType_t type, nvmlEccCounterType_t since) {
  return plain(number<unsigned long long>(row, "nvmlDeviceGetTotalEccErrors", type, since));
}

Text pages(const Row& row, nvmlPageRetirementCause_t cause) {
  unsigned count = 0;
  const nvmlReturn_t code =
      row.gpu.library->call("nvmlDeviceGetRetiredPages", row.gpu.handle, cause, &count,
                            static_cast<unsigned long long*>(nullptr));
  const bool is = code == NVML_SUCCESS || code == NVML_ERROR_INSUFFICIENT_SIZE;
  return is ? Text(std::to_string(count)) : std::nullopt;
}

Text remapped(const Row& row, size_t which) {
  unsigned counts[4] = {};  // for corrected and uncorrected errors, pending, failed
  const nvmlReturn_t code = row.gpu.library->call("nvmlDeviceGetRemappedRows", row.gpu.handle,
                                                  &counts[0], &counts[1], &counts[2], &counts[3]);
  return code == NVML_SUCCESS ? Text(std::to_string(counts[which])) : std::nullopt;
}

std::optional<unsigned long long> reasons(const Row& row) {
  const auto found = number<unsigned long long>(row, "nvmlDeviceGetCurrentClocksEventReasons");
  return found ? found
               : number<unsigned long long>(row, "nvmlDeviceGetCurrentClocksThrottleReasons");
}

Text reason(const Row& row, unsigned long long bit) {
  const auto found = reasons(row);
  if (!found) return std::nullopt;
  return (*found & bit) != 0 ? "Active" : "Not Active";
}

Text all_reasons(const Row& row) {
  const auto found = reasons(row);
  return found ? Text(fmt::format("0x{:016X}", *found)) : std::nullopt;
}

// nvmlDeviceGpuRecoveryAction_t, as nvidia-smi words it.
Text recovery(const Row& row) {
  constexpr const char* names[] = {"None", "GPU Reset", "Node Reboot", "Drain P2P",
                                   "Drain and Reset"};
  nvmlFieldValue_t value = {};
  value.fieldId = NVML_FI_DEV_GET_GPU_RECOVERY_ACTION;
  const bool is = row.gpu.library->call("nvmlDeviceGetFieldValues", row.gpu.handle, 1, &value) ==
                      NVML_SUCCESS &&
                  value.nvmlReturn == NVML_SUCCESS && value.value.uiVal < std::size(names);
  return is ? Text(names[value.value.uiVal]) : std::nullopt;
}

Text utilization(const Row& row, unsigned nvmlUtilization_t::*part) {
  const auto found = number<nvmlUtilization_t>(row, "nvmlDeviceGetUtilizationRates");
  return found ? Text(std::to_string((*found).*part)) : std::nullopt;
}

Text performance_state(const Row& row) {
  const auto state = number<nvmlPstates_t>(row, "nvmlDeviceGetPerformanceState");
  return state ? Text(fmt::format("P{}", static_cast<int>(*state))) : std::nullopt;
}

Text compute_capability(const Row& row) {
  int major = 0, minor = 0;
  const nvmlReturn_t code =
      row.gpu.library->call("nvmlDeviceGetCudaComputeCapability", row.gpu.handle, &major, &minor);
  return code == NVML_SUCCESS ? Text(fmt::format("{}.{}", major, minor)) : std::nullopt;
}

Text compute_mode(const Row& row) {
  const auto found = number<nvmlComputeMode_t>(row, "nvmlDeviceGetComputeMode");
  if (!found) return std::nullopt;
  constexpr const char* names[] = {"Default", "Exclusive_Thread", "Prohibited",
                                   "Exclusive_Process"};
  const auto at = static_cast<size_t>(*found);
  return at < std::size(names) ? Text(names[at]) : std::nullopt;
}

Text bus_part(const Row& row, unsigned nvmlPciInfo_t::*part, int digits) {
  const auto pci = number<nvmlPciInfo_t>(row, "nvmlDeviceGetPciInfo_v3");
  return pci ? Text(fmt::format("0x{:0{}X}", (*pci).*part, digits)) : std::nullopt;
}

constexpr auto clock_now = "nvmlDeviceGetClockInfo";
constexpr auto clock_most = "nvmlDeviceGetMaxClockInfo";
constexpr auto corrected = NVML_MEMORY_ERROR_TYPE_CORRECTED;
constexpr auto uncorrected = NVML_MEMORY_ERROR_TYPE_UNCORRECTED;

Text missing(const Row&) {
  return std::nullopt;
}

// What every list has. Lists of something else than GPUs have the aliases in their headers.
const std::vector<Field>& common_fields() {
  static const std::vector<Field> fields = {
      {"timestamp", "", "", [](const Row&) { return Text(timestamp_text()); }},
      {"name", "gpu_name", "", [](const Row& r) { return text(r, "nvmlDeviceGetName"); }},
      {"pci.bus_id", "gpu_bus_id", "", [](const Row& r) { return Text(r.gpu.bus); }},
      {"serial", "gpu_serial", "", [](const Row& r) { return text(r, "nvmlDeviceGetSerial"); }},
      {"uuid", "gpu_uuid", "", [](const Row& r) { return Text(r.gpu.uuid); }},
  };
  return fields;
}

const std::vector<Field>& identity_fields() {
  static const std::vector<Field> fields = {
      {"driver_version", "", "",
       [](const Row& r) { return Text(r.gpu.library->text("nvmlSystemGetDriverVersion")); }},
      {"count", "", "",
       [](const Row& r) { return plain(r.gpu.library->ask<unsigned>("nvmlDeviceGetCount_v2")); }},
      {"index", "", "", [](const Row& r) { return Text(std::to_string(r.gpu.index)); }},
      {"vbios_version", "", "", [](const Row& r) { return text(r, "nvmlDeviceGetVbiosVersion"); }},
      {"pci.domain", "", "", [](const Row& r) { return bus_part(r, &nvmlPciInfo_t::domain, 4); }},
      {"pci.bus", "", "", [](const Row& r) { return bus_part(r, &nvmlPciInfo_t::bus, 2); }},
      {"pci.device", "", "", [](const Row& r) { return bus_part(r, &nvmlPciInfo_t::device, 2); }},
      {"pcie.link.gen.current", "pcie.link.gen.gpucurrent", "",
       [](const Row& r) {
         return plain(number<unsigned>(r, "nvmlDeviceGetCurrPcieLinkGeneration"));
       }},
      {"pcie.link.gen.max", "pcie.link.gen.gpumax", "",
       [](const Row& r) {
         return plain(number<unsigned>(r, "nvmlDeviceGetMaxPcieLinkGeneration"));
       }},
      {"pcie.link.width.current", "", "",
       [](const Row& r) { return plain(number<unsigned>(r, "nvmlDeviceGetCurrPcieLinkWidth")); }},
      {"pcie.link.width.max", "", "",
       [](const Row& r) { return plain(number<unsigned>(r, "nvmlDeviceGetMaxPcieLinkWidth")); }},
      {"display_mode", "display_attached", "", [](const Row&) { return Text("Disabled"); }},
      {"display_active", "", "", [](const Row&) { return Text("Disabled"); }},
      {"persistence_mode", "", "",
       [](const Row& r) {
         return on_or_off(number<nvmlEnableState_t>(r, "nvmlDeviceGetPersistenceMode"));
       }},
      {"compute_mode", "", "", compute_mode},
      {"compute_cap", "", "", compute_capability},
      {"mig.mode.current", "", "",
       [](const Row& r) { return mode<unsigned>(r, "nvmlDeviceGetMigMode", false); }},
      {"mig.mode.pending", "", "",
       [](const Row& r) { return mode<unsigned>(r, "nvmlDeviceGetMigMode", true); }},
      {"gpu_recovery_action", "", "", recovery},
      {"fan.speed", "", "%",
       [](const Row& r) { return plain(number<unsigned>(r, "nvmlDeviceGetFanSpeed")); }},
      {"pstate", "", "", performance_state},
  };
  return fields;
}

const std::vector<Field>& memory_fields() {
  static const std::vector<Field> fields = {
      {"memory.total", "", "MiB", [](const Row& r) { return memory(r, &nvmlMemory_t::total); }},
      {"memory.reserved", "", "MiB", missing},
      {"memory.used", "", "MiB", [](const Row& r) { return memory(r, &nvmlMemory_t::used); }},
      {"memory.free", "", "MiB", [](const Row& r) { return memory(r, &nvmlMemory_t::free); }},
      {"ecc.mode.current", "", "",
       [](const Row& r) { return mode<nvmlEnableState_t>(r, "nvmlDeviceGetEccMode", false); }},
      {"ecc.mode.pending", "", "",
       [](const Row& r) { return mode<nvmlEnableState_t>(r, "nvmlDeviceGetEccMode", true); }},
      {"ecc.errors.corrected.volatile.total", "", "",
       [](const Row& r) { return ecc(r, corrected, NVML_VOLATILE_ECC); }},
      {"ecc.errors.corrected.aggregate.total", "", "",
       [](const Row& r) { return ecc(r, corrected, NVML_AGGREGATE_ECC); }},
      {"ecc.errors.uncorrected.volatile.total", "", "",
       [](const Row& r) { return ecc(r, uncorrected, NVML_VOLATILE_ECC); }},
      {"ecc.errors.uncorrected.aggregate.total", "", "",
       [](const Row& r) { return ecc(r, uncorrected, NVML_AGGREGATE_ECC); }},
      {"retired_pages.single_bit_ecc.count", "retired_pages.sbe", "",
       [](const Row& r) {
         return pages(r, NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS);
       }},
      {"retired_pages.double_bit.count", "retired_pages.dbe", "",
       [](const Row& r) { return pages(r, NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR); }},
      {"retired_pages.pending", "", "", missing},
  };
  return fields;
}

template <unsigned long long bit>
Text reason_of(const Row& row) {
  return reason(row, bit);
}

const std::vector<Field>& load_fields() {
  static const std::vector<Field> fields = {
      {"utilization.gpu", "", "%",
       [](const Row& r) { return utilization(r, &nvmlUtilization_t::gpu); }},
      {"utilization.memory", "", "%",
       [](const Row& r) { return utilization(r, &nvmlUtilization_t::memory); }},
      {"temperature.gpu", "", "",
       [](const Row& r) {
         return plain(number<unsigned>(r, "nvmlDeviceGetTemperature", NVML_TEMPERATURE_GPU));
       }},
      {"temperature.memory", "", "", missing},
      {"power.management", "", "", [](const Row&) { return Text("Enabled"); }},
      {"power.draw", "", "W", [](const Row& r) { return watts(r, "nvmlDeviceGetPowerUsage"); }},
      {"power.draw.instant", "power.draw.average", "W",
       [](const Row& r) { return watts(r, "nvmlDeviceGetPowerUsage"); }},
      {"power.limit", "", "W",
       [](const Row& r) { return watts(r, "nvmlDeviceGetEnforcedPowerLimit"); }},
      {"enforced.power.limit", "", "W",
       [](const Row& r) { return watts(r, "nvmlDeviceGetEnforcedPowerLimit"); }},
      {"power.default_limit", "", "W",
       [](const Row& r) { return watts(r, "nvmlDeviceGetPowerManagementDefaultLimit"); }},
      {"power.min_limit", "", "W", missing},
      {"power.max_limit", "", "W",
       [](const Row& r) { return watts(r, "nvmlDeviceGetPowerManagementDefaultLimit"); }},
      {"clocks.current.graphics", "clocks.gr", "MHz",
       [](const Row& r) { return clock(r, clock_now, NVML_CLOCK_GRAPHICS); }},
      {"clocks.current.sm", "clocks.sm", "MHz",
       [](const Row& r) { return clock(r, clock_now, NVML_CLOCK_SM); }},
      {"clocks.current.memory", "clocks.mem", "MHz",
       [](const Row& r) { return clock(r, clock_now, NVML_CLOCK_MEM); }},
      {"clocks.current.video", "clocks.video", "MHz",
       [](const Row& r) { return clock(r, clock_now, NVML_CLOCK_VIDEO); }},
      {"clocks.max.graphics", "clocks.max.gr", "MHz",
       [](const Row& r) { return clock(r, clock_most, NVML_CLOCK_GRAPHICS); }},
      {"clocks.max.sm", "", "MHz",
       [](const Row& r) { return clock(r, clock_most, NVML_CLOCK_SM); }},
      {"clocks.max.memory", "clocks.max.mem", "MHz",
       [](const Row& r) { return clock(r, clock_most, NVML_CLOCK_MEM); }},
  };
  return fields;
}

// Each has an older name, "clocks_throttle_reasons." instead of "clocks_event_reasons.".
const std::vector<Field>& reason_fields() {
  static const std::vector<Field> fields = {
      {"clocks_event_reasons.active", "clocks_throttle_reasons.active", "", all_reasons},
      {"clocks_event_reasons.gpu_idle", "clocks_throttle_reasons.gpu_idle", "", reason_of<0x1>},
      {"clocks_event_reasons.applications_clocks_setting",
       "clocks_throttle_reasons.applications_clocks_setting", "", reason_of<0x2>},
      {"clocks_event_reasons.sw_power_cap", "clocks_throttle_reasons.sw_power_cap", "",
       reason_of<nvmlClocksEventReasonSwPowerCap>},
      {"clocks_event_reasons.hw_slowdown", "clocks_throttle_reasons.hw_slowdown", "",
       reason_of<nvmlClocksThrottleReasonHwSlowdown>},
      {"clocks_event_reasons.hw_thermal_slowdown", "clocks_throttle_reasons.hw_thermal_slowdown",
       "", reason_of<nvmlClocksThrottleReasonHwThermalSlowdown>},
      {"clocks_event_reasons.hw_power_brake_slowdown",
       "clocks_throttle_reasons.hw_power_brake_slowdown", "",
       reason_of<nvmlClocksThrottleReasonHwPowerBrakeSlowdown>},
      {"clocks_event_reasons.sw_thermal_slowdown", "clocks_throttle_reasons.sw_thermal_slowdown",
       "", reason_of<nvmlClocksEventReasonSwThermalSlowdown>},
      {"clocks_event_reasons.sync_boost", "clocks_throttle_reasons.sync_boost", "",
       reason_of<0x10>},
  };
  return fields;
}

std::vector<Field> joined(std::initializer_list<const std::vector<Field>*> parts) {
  std::vector<Field> all;
  for (const auto* part : parts) all.insert(all.end(), part->begin(), part->end());
  return all;
}

std::vector<Field> beside(const std::vector<Field>& own) {
  std::vector<Field> all = own;
  for (Field field : common_fields()) {
    if (*field.alias != '\0') field.name = std::exchange(field.alias, "");
    all.push_back(field);
  }
  return all;
}

}  // namespace

const std::vector<Field>& gpu_fields() {
  static const std::vector<Field> fields = joined(
      {&common_fields(), &identity_fields(), &memory_fields(), &load_fields(), &reason_fields()});
  return fields;
}

const std::vector<Field>& process_fields() {
  static const std::vector<Field> own = {
      {"pid", "", "", [](const Row& r) { return Text(std::to_string(r.process->id)); }},
      {"process_name", "name", "", [](const Row& r) { return Text(r.process->name); }},
      {"used_gpu_memory", "used_memory", "MiB",
       [](const Row& r) { return Text(std::to_string(r.process->bytes >> 20)); }},
  };
  static const std::vector<Field> fields = beside(own);
  return fields;
}

const std::vector<Field>& remapped_fields() {
  static const std::vector<Field> own = {
      {"remapped_rows.correctable", "", "", [](const Row& r) { return remapped(r, 0); }},
      {"remapped_rows.uncorrectable", "", "", [](const Row& r) { return remapped(r, 1); }},
      {"remapped_rows.pending", "", "", [](const Row& r) { return remapped(r, 2); }},
      {"remapped_rows.failure", "", "", [](const Row& r) { return remapped(r, 3); }},
  };
  static const std::vector<Field> fields = beside(own);
  return fields;
}

const Field* find_field(const std::vector<Field>& fields, const std::string& name) {
  const auto found = std::ranges::find_if(
      fields, [&](const Field& field) { return name == field.name || name == field.alias; });
  return found == fields.end() || name.empty() ? nullptr : &*found;
}

std::string field_text(const Device& gpu, const char* name, const char* missing) {
  const Field* const field = find_field(gpu_fields(), name);
  const Text value = field == nullptr ? std::nullopt : field->read({gpu, nullptr});
  if (!value) return missing;
  return *field->unit == '\0' ? *value : *value + " " + field->unit;
}

}  // namespace slipway::gpu_programs
