// Turns NVML's values into DCGM's findings.
#include "launcher/gpu_programs/findings.h"

#include <cstdlib>

#include "launcher/gpu_programs/fields.h"

namespace slipway::gpu_programs {
namespace {

constexpr int monitor = 1, configuration = 5, reset = 6;  // severities

// Of a field of --query-gpu or --query-remapped-rows. 0 if it has none.
unsigned long long count(const Device& gpu, const std::vector<Field>& fields, const char* name) {
  const auto value = find_field(fields, name)->read({gpu, nullptr});
  return value ? std::strtoull(value->c_str(), nullptr, 10) : 0;
}

unsigned long long count(const Device& gpu, const char* name) {
  return count(gpu, gpu_fields(), name);
}

void find_memory(const Device& gpu, std::vector<Finding>& findings) {
  const auto add = [&](bool fails, int error, int severity, std::string text) {
    findings.push_back({Part::memory, fails, error, 10, severity, std::move(text)});
  };
  const auto doubles = count(gpu, "ecc.errors.uncorrected.volatile.total");
  if (doubles > 0) {
    add(true, 4, isolate,
        fmt::format("Detected {} volatile double-bit ECC error(s) in GPU {}.", doubles, gpu.index));
  }
  if (count(gpu, remapped_fields(), "remapped_rows.failure") > 0) {
    add(true, 80, isolate,
        fmt::format("GPU {} had uncorrectable memory errors and row remapping "
                    "failed.",
                    gpu.index));
  }
  if (count(gpu, remapped_fields(), "remapped_rows.pending") > 0) {
    add(false, 85, reset,
        fmt::format("GPU {} had memory errors and row remappings are pending.", gpu.index));
  }
  const auto retired = count(gpu, "retired_pages.single_bit_ecc.count") +
                       count(gpu, "retired_pages.double_bit.count");
  if (retired > 0) {
    // More than 63 are a reason to return a GPU: NVIDIA, Dynamic Page Retirement.
    add(retired > 63, 7, retired > 63 ? isolate : monitor,
        fmt::format("GPU {} has {} retired pages.", gpu.index, retired));
  }
}

void find_links(const Device& gpu, std::vector<Finding>& findings) {
  const auto compare = [&](const char* what, const char* now, const char* most) {
    const auto has = count(gpu, now), could = count(gpu, most);
    if (has >= could) return;
    findings.push_back(
        {Part::pcie, false, 30, 13, isolate,
         fmt::format("GPU {} has PCIe {} {} instead of {}.", gpu.index, what, has, could)});
  };
  compare("generation", "pcie.link.gen.current", "pcie.link.gen.max");
  compare("width", "pcie.link.width.current", "pcie.link.width.max");
  const auto replays =
      gpu.library->ask<unsigned>("nvmlDeviceGetPcieReplayCounter", gpu.handle).value_or(0);
  if (replays > 0) {
    findings.push_back({Part::pcie, false, 3, 13, monitor,
                        fmt::format("Detected {} PCIe replays on GPU {}.", replays, gpu.index)});
  }
  for (unsigned link = 0;; ++link) {
    const auto state =
        gpu.library->ask<nvmlEnableState_t>("nvmlDeviceGetNvLinkState", gpu.handle, link);
    if (!state) break;
    if (*state == NVML_FEATURE_ENABLED) continue;
    findings.push_back(
        {Part::nvlink, true, 14, 11, isolate,
         fmt::format("GPU {}'s NvLink link {} is currently down.", gpu.index, link)});
  }
}

void find_xids(const Device& gpu, std::vector<Finding>& findings) {
  SimulatedGpu simulated = {};
  const auto ask = gpu.library->find<decltype(&slipway_simulated_gpu)>("slipway_simulated_gpu");
  if (ask == nullptr || ask(gpu.index, &simulated) != 1) return;
  for (unsigned i = 0; i < simulated.xids; ++i) {
    // DCGM has an error of its own for an uncontained memory error, Xid 95.
    const bool uncontained = simulated.xid[i] == 95;
    findings.push_back({Part::driver, true, uncontained ? 81 : 101, uncontained ? 10 : 5, isolate,
                        fmt::format("Detected XID {} for GPU {}", simulated.xid[i], gpu.index)});
  }
}

}  // namespace

std::vector<Finding> findings_of(const Device& gpu) {
  std::vector<Finding> findings;
  if (gpu.handle == nullptr) {
    findings.push_back({Part::driver, true, 19, 15, isolate,
                        fmt::format("Error calling NVML API nvmlDeviceGetHandleByIndex_v2 for GPU "
                                    "{}: {}",
                                    gpu.index, gpu.library->words_of(gpu.found))});
  } else {
    if (field_text(gpu, "persistence_mode", "") == "Disabled") {
      findings.push_back({Part::software, false, 29, 3, configuration,
                          fmt::format("Persistence mode for GPU {} is disabled.", gpu.index)});
    }
    find_memory(gpu, findings);
    find_links(gpu, findings);
    if (field_text(gpu, "clocks_event_reasons.hw_thermal_slowdown", "") == "Active") {
      findings.push_back({Part::thermal, false, 10, 9, monitor,
                          fmt::format("Detected clocks throttling due to thermal slowdown in GPU "
                                      "{}.",
                                      gpu.index)});
    }
  }
  find_xids(gpu, findings);
  return findings;
}

}  // namespace slipway::gpu_programs
