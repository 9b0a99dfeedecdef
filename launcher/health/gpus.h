// Readings of a node's GPUs, taken once through NVML; the checks evaluate them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launcher/health/gpu_processes.h"
#include "launcher/health/kernel_log.h"

namespace slipway::health {

constexpr int most_nvlinks = 36;  // of one GPU; NVML ends the list with an error

// The GPU's own report of what it needs, from driver 570 on: NVML_FI_DEV_GET_GPU_RECOVERY_ACTION
// and nvmlDeviceGpuRecoveryAction_t in NVIDIA's NVML API Reference.
const char* recovery_action_name(unsigned value);  // "none", "gpu-reset", …, "unknown"

// Empty values are not supported by the driver or the GPU.
struct GpuReading {
  unsigned index = 0;
  std::string bus;   // "0000:07:00.0"
  std::string uuid;  // "GPU-…"
  std::string name;  // "NVIDIA H100 80GB HBM3"
  std::string lost;  // NVML's error if it cannot be read: "GPU is lost"
  std::optional<uint64_t> ecc_corrected, ecc_uncorrected;  // since the driver was loaded
  std::optional<unsigned> rows_pending, rows_failed;       // remapping
  std::optional<unsigned> pages_retired;
  std::vector<bool> nvlinks;  // whether each is up; empty without NVLink
  std::optional<unsigned> pcie_generation, pcie_width, pcie_replays;
  std::optional<unsigned> performance_state;  // 0 is the fastest; in others, the link may slow down
  std::optional<uint64_t> throttle_reasons;   // bits, throttle.h of NVML
  std::optional<unsigned> celsius;
  std::optional<unsigned> sm_mhz;  // the clock of the multiprocessors
  std::optional<unsigned> power_limit_mw, default_power_limit_mw;
  std::optional<unsigned> power_mw;
  std::optional<uint64_t> energy_mj;            // since the driver was loaded
  std::optional<unsigned> utilization_percent;  // of the last second: time with a kernel running
  std::optional<uint64_t> memory_used_bytes, memory_total_bytes;
  std::optional<std::vector<GpuProcess>> processes;
  std::optional<bool> persistence;
  std::optional<unsigned> recovery_action;

  std::string label() const;  // "GPU 3 0000:07:00.0"
};

struct Gpus {
  std::string error;        // why there are no readings; empty on success
  bool no_library = false;  // libnvidia-ml.so.1 is missing, or no driver is loaded
  bool mismatch = false;    // library and driver versions differ
  std::string driver_version, library_version;
  std::vector<GpuReading> gpus;
};

// Why clocks are lower than they should be, by the bits of `throttle_reasons`: "too hot
// (hardware)". Empty for reasons that are right under load, such as the limit of power.
std::string throttle_words(uint64_t reasons);

// Reads NVML, which is loaded at run time. May hang with the driver, so call it in a process that
// may be killed; calls `doing` before each step that may hang.
Gpus read_gpus(const std::function<void(const std::string&)>& doing);

// Listens for NVML events: calls `ready` once it does, and `tell` for each Xid of this node's GPUs,
// until `tell` returns false, NVML fails, or a GPU is lost. Returns at once without GPUs. May hang,
// too.
void watch_xids(const std::function<void()>& ready, const std::function<bool(const Xid&)>& tell);

// The energy that all GPUs together used since the driver was loaded, in millijoules. Empty if
// there are no GPUs, or one does not report it (before Volta). May hang, too.
std::optional<uint64_t> read_gpu_energy_mj(const std::function<void(const std::string&)>& doing);
// How busy each GPU was in the last second, in percent, in NVML's order. Empty in the same cases.
std::optional<std::vector<unsigned>> read_gpu_utilization(
    const std::function<void(const std::string&)>& doing);

}  // namespace slipway::health
