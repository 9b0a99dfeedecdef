// Turns readings of GPUs into metrics.
#include "launcher/observe/gpu_metrics.h"

#include <algorithm>

#include "common/error.h"
#include "common/file.h"
#include "common/text.h"

namespace slipway::observe {
namespace {

constexpr size_t largest_mapping_file = 4096;
constexpr unsigned most_gpu_files = 64;

class GpuMetrics {
 public:
  GpuMetrics(MetricSet& set, const std::string& node, const health::GpuReading& gpu)
      : set_(set), gpu_(gpu), labels_{{"node", node}, {"gpu", std::to_string(gpu.index)}} {}

  void add() {
    put("slipway_gpu_up", gpu_.lost.empty() ? 1 : 0);
    if (!gpu_.lost.empty()) return;
    Labels info = labels_;
    info.insert(info.end(), {{"uuid", gpu_.uuid}, {"model", gpu_.name}, {"bus", gpu_.bus}});
    set_.add("slipway_gpu_info", info, 1);
    put("slipway_gpu_temperature_celsius", gpu_.celsius);
    put("slipway_gpu_power_watts", gpu_.power_mw, 1e-3);
    put("slipway_gpu_power_limit_watts", gpu_.power_limit_mw, 1e-3);
    put("slipway_gpu_energy_joules_total", gpu_.energy_mj, 1e-3);
    put("slipway_gpu_utilization_ratio", gpu_.utilization_percent, 1e-2);
    put("slipway_gpu_memory_used_bytes", gpu_.memory_used_bytes);
    put("slipway_gpu_memory_bytes", gpu_.memory_total_bytes);
    put("slipway_gpu_sm_clock_hertz", gpu_.sm_mhz, 1e6);
    if (gpu_.throttle_reasons) {
      put("slipway_gpu_throttled", health::throttle_words(*gpu_.throttle_reasons).empty() ? 0 : 1);
    }
    put("slipway_gpu_ecc_uncorrected_errors_total", gpu_.ecc_uncorrected);
    put("slipway_gpu_ecc_corrected_errors_total", gpu_.ecc_corrected);
    put("slipway_gpu_remapped_rows_pending", gpu_.rows_pending);
    put("slipway_gpu_remap_failed", gpu_.rows_failed);
    put("slipway_gpu_retired_pages", gpu_.pages_retired);
    if (!gpu_.nvlinks.empty()) {
      put("slipway_gpu_nvlinks", static_cast<double>(gpu_.nvlinks.size()));
      put("slipway_gpu_nvlinks_up", static_cast<double>(std::ranges::count(gpu_.nvlinks, true)));
    }
    put("slipway_gpu_pcie_lanes", gpu_.pcie_width);
    put("slipway_gpu_pcie_generation", gpu_.pcie_generation);
    put("slipway_gpu_pcie_replays_total", gpu_.pcie_replays);
    if (gpu_.processes) {
      put("slipway_gpu_processes", static_cast<double>(gpu_.processes->size()));
    }
  }

 private:
  void put(std::string_view name, double value) { set_.add(name, labels_, value); }

  template <class Number>
  void put(std::string_view name, const std::optional<Number>& value, double unit = 1) {
    if (value) put(name, static_cast<double>(*value) * unit);
  }

  MetricSet& set_;
  const health::GpuReading& gpu_;
  Labels labels_;
};

}  // namespace

void add_gpus(MetricSet& set, const std::string& node, const health::Gpus& gpus) {
  set.add("slipway_gpus", {{"node", node}}, static_cast<double>(gpus.gpus.size()));
  for (const health::GpuReading& gpu : gpus.gpus) GpuMetrics(set, node, gpu).add();
}

void add_gpu_jobs(MetricSet& set, const std::string& node, const std::filesystem::path& folder) {
  for (unsigned gpu = 0; gpu < most_gpu_files; ++gpu) {
    const std::filesystem::path file = folder / std::to_string(gpu);
    if (!std::filesystem::exists(file)) continue;
    try {
      for (const std::string& job : split(read_regular_file(file, largest_mapping_file), '\n')) {
        if (!to_number<uint32_t>(job)) continue;
        set.add("slipway_gpu_job", {{"node", node}, {"gpu", std::to_string(gpu)}, {"job", job}}, 1);
      }
    } catch (const Error&) {
      continue;  // removed meanwhile, as its job has ended
    }
  }
}

}  // namespace slipway::observe
