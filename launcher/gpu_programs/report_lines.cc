// The lines of `nvidia-smi -q`.
#include "launcher/gpu_programs/report_lines.h"

namespace slipway::gpu_programs {
namespace {

// The order and the words are nvidia-smi's.
constexpr ReportLine lines[] = {
    {1, "Product Name", "name", ""},
    {1, "Display Mode", "display_mode", ""},
    {1, "Display Active", "display_active", ""},
    {1, "Persistence Mode", "persistence_mode", ""},
    {1, "MIG Mode", "", ""},
    {2, "Current", "mig.mode.current", ""},
    {2, "Pending", "mig.mode.pending", ""},
    {1, "Serial Number", "serial", ""},
    {1, "GPU UUID", "uuid", ""},
    {1, "VBIOS Version", "vbios_version", ""},
    {1, "GPU Recovery Action", "gpu_recovery_action", ""},
    {1, "PCI", "", ""},
    {2, "Bus", "pci.bus", ""},
    {2, "Device", "pci.device", ""},
    {2, "Domain", "pci.domain", ""},
    {2, "Bus Id", "pci.bus_id", ""},
    {2, "GPU Link Info", "", ""},
    {3, "PCIe Generation", "", ""},
    {4, "Max", "pcie.link.gen.max", ""},
    {4, "Current", "pcie.link.gen.current", ""},
    {3, "Link Width", "", ""},
    {4, "Max", "pcie.link.width.max", ""},
    {4, "Current", "pcie.link.width.current", ""},
    {1, "Fan Speed", "fan.speed", ""},
    {1, "Performance State", "pstate", "PERFORMANCE"},
    {1, "Clocks Event Reasons", "", "PERFORMANCE"},
    {2, "Idle", "clocks_event_reasons.gpu_idle", "PERFORMANCE"},
    {2, "Applications Clocks Setting", "clocks_event_reasons.applications_clocks_setting",
     "PERFORMANCE"},
    {2, "SW Power Cap", "clocks_event_reasons.sw_power_cap", "PERFORMANCE"},
    {2, "HW Slowdown", "clocks_event_reasons.hw_slowdown", "PERFORMANCE"},
    {3, "HW Thermal Slowdown", "clocks_event_reasons.hw_thermal_slowdown", "PERFORMANCE"},
    {3, "HW Power Brake Slowdown", "clocks_event_reasons.hw_power_brake_slowdown", "PERFORMANCE"},
    {2, "Sync Boost", "clocks_event_reasons.sync_boost", "PERFORMANCE"},
    {2, "SW Thermal Slowdown", "clocks_event_reasons.sw_thermal_slowdown", "PERFORMANCE"},
    {1, "FB Memory Usage", "", "MEMORY"},
    {2, "Total", "memory.total", "MEMORY"},
    {2, "Reserved", "memory.reserved", "MEMORY"},
    {2, "Used", "memory.used", "MEMORY"},
    {2, "Free", "memory.free", "MEMORY"},
    {1, "Compute Mode", "compute_mode", "COMPUTE"},
    {1, "Utilization", "", "UTILIZATION"},
    {2, "GPU", "utilization.gpu", "UTILIZATION"},
    {2, "Memory", "utilization.memory", "UTILIZATION"},
    {1, "ECC Mode", "", "ECC"},
    {2, "Current", "ecc.mode.current", "ECC"},
    {2, "Pending", "ecc.mode.pending", "ECC"},
    {1, "ECC Errors", "", "ECC"},
    {2, "Volatile", "", "ECC"},
    {3, "DRAM Correctable", "ecc.errors.corrected.volatile.total", "ECC"},
    {3, "DRAM Uncorrectable", "ecc.errors.uncorrected.volatile.total", "ECC"},
    {2, "Aggregate", "", "ECC"},
    {3, "DRAM Correctable", "ecc.errors.corrected.aggregate.total", "ECC"},
    {3, "DRAM Uncorrectable", "ecc.errors.uncorrected.aggregate.total", "ECC"},
    {1, "Retired Pages", "", "PAGE_RETIREMENT"},
    {2, "Single Bit ECC", "retired_pages.single_bit_ecc.count", "PAGE_RETIREMENT"},
    {2, "Double Bit ECC", "retired_pages.double_bit.count", "PAGE_RETIREMENT"},
    {2, "Pending Page Blacklist", "retired_pages.pending", "PAGE_RETIREMENT"},
    {1, "Remapped Rows", "", "ROW_REMAPPER"},
    {2, "Correctable Error", "remapped_rows.correctable", "ROW_REMAPPER"},
    {2, "Uncorrectable Error", "remapped_rows.uncorrectable", "ROW_REMAPPER"},
    {2, "Pending", "remapped_rows.pending", "ROW_REMAPPER"},
    {2, "Remapping Failure Occurred", "remapped_rows.failure", "ROW_REMAPPER"},
    {1, "Temperature", "", "TEMPERATURE"},
    {2, "GPU Current Temp", "temperature.gpu", "TEMPERATURE"},
    {2, "Memory Current Temp", "temperature.memory", "TEMPERATURE"},
    {1, "GPU Power Readings", "", "POWER"},
    {2, "Power Draw", "power.draw", "POWER"},
    {2, "Current Power Limit", "power.limit", "POWER"},
    {2, "Default Power Limit", "power.default_limit", "POWER"},
    {2, "Max Power Limit", "power.max_limit", "POWER"},
    {1, "Clocks", "", "CLOCK"},
    {2, "Graphics", "clocks.current.graphics", "CLOCK"},
    {2, "SM", "clocks.current.sm", "CLOCK"},
    {2, "Memory", "clocks.current.memory", "CLOCK"},
    {1, "Max Clocks", "", "CLOCK"},
    {2, "Graphics", "clocks.max.graphics", "CLOCK"},
    {2, "SM", "clocks.max.sm", "CLOCK"},
    {2, "Memory", "clocks.max.memory", "CLOCK"},
    {1, "Processes", "", "PIDS"},
};

}  // namespace

std::span<const ReportLine> report_lines() {
  return lines;
}

// Numbers of remapped rows have no field of --query-gpu. Pending and failed rows are yes or no.
std::string value_of_line(const Device& gpu, const ReportLine& one) {
  const std::string name = one.field;
  if (name.starts_with("temperature.")) {
    const std::string degrees = field_text(gpu, one.field, "N/A");
    return degrees == "N/A" ? degrees : degrees + " C";
  }
  if (!name.starts_with("remapped_rows.")) return field_text(gpu, one.field, "N/A");
  const auto value = find_field(remapped_fields(), name)->read({gpu, nullptr});
  if (!value) return "N/A";
  const bool is_flag = name.ends_with("pending") || name.ends_with("failure");
  return is_flag ? (*value == "0" ? "No" : "Yes") : *value;
}

}  // namespace slipway::gpu_programs
