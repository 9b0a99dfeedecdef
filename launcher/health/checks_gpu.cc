// Checks GPUs, using values read from NVML (gpus.h).
#include <fmt/core.h>

#include <cctype>

#include "common/text.h"
#include "launcher/health/checks.h"
#include "launcher/simulated_nvml/nvml_calls.h"

namespace slipway::health {
namespace {

const GpuModel* model_of(const Context& context) {
  const auto found = context.policy.gpu_models.find(context.profile.gpus.model);
  return found == context.policy.gpu_models.end() ? nullptr : &found->second;
}

void gpu_count(const Gpus& gpus, CheckRun& run) {
  const auto expected = static_cast<size_t>(run.context.profile.gpus.count);
  if (gpus.gpus.size() < expected) {
    run.find("gpu-missing", "GPUs", fmt::format("{} of {} found", gpus.gpus.size(), expected));
  } else if (gpus.gpus.size() > expected) {
    run.find("gpu-unexpected", "GPUs",
             fmt::format("{} found, node.json has {}", gpus.gpus.size(), expected));
  }
  for (const GpuReading& gpu : gpus.gpus) {
    if (!gpu.lost.empty()) run.find("gpu-missing", gpu.label(), gpu.lost);
  }
}

// Whether a word of `name` begins with the model's name: "NVIDIA GB200" is not a b200.
bool is_model(const std::string& name, const GpuModel& model) {
  const std::string all = to_lower(name);
  for (size_t at = all.find(model.name); at != all.npos; at = all.find(model.name, at + 1)) {
    if (at == 0 || std::isalnum(static_cast<unsigned char>(all[at - 1])) == 0) return true;
  }
  return false;
}

void gpu_identity(const Gpus& gpus, CheckRun& run) {
  const GpuModel* const model = model_of(run.context);
  if (model == nullptr) {
    return run.skip(
        fmt::format("the policy has no GPU model `{}`", run.context.profile.gpus.model));
  }
  for (const GpuReading& gpu : gpus.gpus) {
    if (!gpu.lost.empty() || is_model(gpu.name, *model)) continue;
    run.find(
        "gpu-wrong-model", gpu.label(),
        fmt::format("it is a `{}`, node.json has {}", gpu.name, run.context.profile.gpus.model));
  }
}

void gpu_ecc(const Gpus& gpus, CheckRun& run) {
  for (const GpuReading& gpu : gpus.gpus) {
    if (gpu.ecc_uncorrected.value_or(0) > 0) {
      run.find("gpu-ecc-uncorrected", gpu.label(),
               fmt::format("{} uncorrectable memory errors", *gpu.ecc_uncorrected));
    }
    if (!gpu.ecc_corrected) continue;
    const int64_t more =
        run.growth("gpu_ecc_corrected/" + gpu.label(), static_cast<int64_t>(*gpu.ecc_corrected));
    if (static_cast<double>(more) > run.limit("gpu_ecc_corrected")) {
      run.find_event("gpu-ecc-corrected", gpu.label(),
                     fmt::format("{} new corrected memory errors", more));
    }
  }
}

void gpu_rows(const Gpus& gpus, CheckRun& run) {
  for (const GpuReading& gpu : gpus.gpus) {
    if (gpu.rows_failed.value_or(0) > 0) {
      run.find("gpu-remap-failed", gpu.label(), "a memory row could not be remapped");
    } else if (gpu.rows_pending.value_or(0) > 0) {
      run.find("gpu-remap-pending", gpu.label(), "memory rows will be remapped at the next reset");
    }
  }
}

void gpu_pages(const Gpus& gpus, CheckRun& run) {
  for (const GpuReading& gpu : gpus.gpus) {
    if (gpu.pages_retired.value_or(0) > run.limit("gpu_pages_retired")) {
      run.find("gpu-pages-retired", gpu.label(),
               fmt::format("{} memory pages retired", *gpu.pages_retired));
    }
  }
}

void gpu_nvlink(const Gpus& gpus, CheckRun& run) {
  const GpuModel* const model = model_of(run.context);
  const size_t expected = model == nullptr ? 0 : static_cast<size_t>(model->nvlinks);
  // NVML shows no link of an H100 that is alone in a virtual machine (seen with driver 580.159).
  if (run.context.profile.gpus.count == 1)
    return run.skip("a GPU that is alone in its machine is connected to no other");
  for (const GpuReading& gpu : gpus.gpus) {
    if (!gpu.lost.empty()) continue;
    std::vector<std::string> down;
    for (size_t i = 0; i < gpu.nvlinks.size(); ++i) {
      if (!gpu.nvlinks[i]) down.push_back(std::to_string(i));
    }
    if (gpu.nvlinks.size() < expected) {
      run.find("nvlink-missing", gpu.label(),
               fmt::format("{} of {} NVLinks found", gpu.nvlinks.size(), expected));
    } else if (expected > 0 && !down.empty()) {
      run.find("nvlink-down", gpu.label(), fmt::format("NVLink {} is down", join(down, ", ")));
    }
  }
}

void gpu_pcie(const Gpus& gpus, CheckRun& run) {
  const GpuModel* const model = model_of(run.context);
  for (const GpuReading& gpu : gpus.gpus) {
    if (gpu.pcie_replays) {
      const int64_t more = run.growth("gpu_pcie_replays/" + gpu.label(), *gpu.pcie_replays);
      if (static_cast<double>(more) > run.limit("gpu_pcie_replays")) {
        run.find_event("pcie-replays", gpu.label(), fmt::format("{} new PCIe replays", more));
      }
    }
    if (model == nullptr) continue;
    const auto width = static_cast<unsigned>(model->pcie_width);
    const auto generation = static_cast<unsigned>(model->pcie_generation);
    if (width > 0 && gpu.pcie_width.value_or(width) < width) {
      run.find("pcie-width", gpu.label(),
               fmt::format("PCIe x{}, expected x{}", *gpu.pcie_width, width));
    }
    // An idle GPU may lower its link's generation, so check it only at full clocks.
    if (gpu.performance_state.value_or(1) == 0 && generation > 0 &&
        gpu.pcie_generation.value_or(generation) < generation) {
      run.find("pcie-generation", gpu.label(),
               fmt::format("PCIe generation {}, expected {}", *gpu.pcie_generation, generation));
    }
  }
}

void gpu_throttle(const Gpus& gpus, CheckRun& run) {
  for (const GpuReading& gpu : gpus.gpus) {
    const std::string words = throttle_words(gpu.throttle_reasons.value_or(0));
    if (!words.empty()) run.find("gpu-throttled", gpu.label(), "clocks throttled: " + words);
  }
}

void gpu_temperature(const Gpus& gpus, CheckRun& run) {
  for (const GpuReading& gpu : gpus.gpus) {
    if (gpu.celsius.value_or(0) >= run.limit("gpu_celsius")) {
      run.find("gpu-hot", gpu.label(), fmt::format("{} °C", *gpu.celsius));
    }
  }
}

void gpu_power(const Gpus& gpus, CheckRun& run) {
  for (const GpuReading& gpu : gpus.gpus) {
    if (!gpu.power_limit_mw || !gpu.default_power_limit_mw) continue;
    if (*gpu.power_limit_mw < *gpu.default_power_limit_mw) {
      run.find("gpu-power-limited", gpu.label(),
               fmt::format("limited to {} W, default {} W", *gpu.power_limit_mw / 1000,
                           *gpu.default_power_limit_mw / 1000));
    }
  }
}

// Before and after a job, no process may use its GPUs. A living process may be anybody's; one that
// has ended and still holds a GPU is stuck in the driver.
void gpu_processes(const Gpus& gpus, CheckRun& run) {
  if (!run.context.job_gpus) return run.skip("only before and after a job on its GPUs");
  for (const GpuReading& gpu : gpus.gpus) {
    if (!gpu.processes || !run.context.job_gpus->contains(gpu.index)) continue;
    for (const GpuProcess& process : *gpu.processes) {
      run.find(process.ended ? "gpu-stuck" : "gpu-busy", gpu.label(),
               fmt::format("process {} {}", process.id,
                           process.ended ? "has ended but still holds the GPU" : "uses the GPU"));
    }
  }
}

void gpu_driver(const Gpus& gpus, CheckRun& run) {
  run.fact("driver_version", gpus.driver_version);
  run.fact("nvml_version", gpus.library_version);
  if (gpus.mismatch) run.find("driver-mismatch", "NVML", gpus.error);
  const auto expected = run.context.policy.limits.find("driver_major");
  const double major = std::atof(gpus.driver_version.c_str());
  if (expected != run.context.policy.limits.end() && expected->second > 0 &&
      static_cast<int64_t>(major) != static_cast<int64_t>(expected->second)) {
    run.find(
        "driver-version", "NVML",
        fmt::format("driver {}, the policy expects {}", gpus.driver_version, expected->second));
  }
}

void gpu_persistence(const Gpus& gpus, CheckRun& run) {
  for (const GpuReading& gpu : gpus.gpus) {
    if (gpu.persistence == false) {
      run.find("gpu-persistence-off", gpu.label(),
               "persistence mode is off, so every job waits for the driver to load");
    }
  }
}

void gpu_recovery(const Gpus& gpus, CheckRun& run) {
  for (const GpuReading& gpu : gpus.gpus) {
    if (!gpu.recovery_action) continue;
    const std::string word = recovery_action_name(*gpu.recovery_action);
    run.fact("recovery/" + gpu.bus, word);
    if (word != "none") run.find("gpu-recovery", gpu.label(), word);
  }
}

}  // namespace

std::string throttle_words(uint64_t reasons) {
  constexpr std::pair<unsigned long long, const char*> words[] = {
      {nvmlClocksThrottleReasonHwThermalSlowdown, "too hot (hardware)"},
      {nvmlClocksThrottleReasonHwPowerBrakeSlowdown, "power brake (hardware)"},
      {nvmlClocksThrottleReasonHwSlowdown, "hardware slowdown"},
      {nvmlClocksEventReasonSwThermalSlowdown, "too hot (driver)"},
  };
  for (const auto& [bit, text] : words) {
    if ((reasons & bit) != 0) return text;
  }
  return "";
}

void check_gpus(const Gpus& gpus, CheckRun& run) {
  using Check = void (*)(const Gpus&, CheckRun&);
  constexpr std::pair<const char*, Check> checks[] = {
      {"gpu_count", gpu_count},
      {"gpu_identity", gpu_identity},
      {"gpu_ecc", gpu_ecc},
      {"gpu_rows", gpu_rows},
      {"gpu_pages", gpu_pages},
      {"gpu_nvlink", gpu_nvlink},
      {"gpu_pcie", gpu_pcie},
      {"gpu_throttle", gpu_throttle},
      {"gpu_temperature", gpu_temperature},
      {"gpu_power", gpu_power},
      {"gpu_processes", gpu_processes},
      {"gpu_persistence", gpu_persistence},
      {"gpu_recovery", gpu_recovery},
  };
  run.begin("gpu_driver");
  gpu_driver(gpus, run);
  if (!gpus.error.empty()) {
    run.begin("gpu_count");
    if (!gpus.mismatch) {
      run.find(gpus.no_library ? "driver-missing" : "driver-failed", "NVML", gpus.error);
    }
    return;
  }
  for (const GpuReading& gpu : gpus.gpus) {
    if (!gpu.bus.empty()) run.fact("gpu/" + gpu.bus, std::to_string(gpu.index));
  }
  for (const auto& [name, check] : checks) {
    run.begin(name);
    check(gpus, run);
  }
}

}  // namespace slipway::health
