// What NVML says of a node's GPUs, read once; the checks look at these values.
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

// The GPU's own word on what it needs, from driver 570 on: NVML_FI_DEV_GET_GPU_RECOVERY_ACTION and
// nvmlDeviceGpuRecoveryAction_t of NVIDIA's NVML API Reference.
const char* recovery_action_name(unsigned value);  // "none", "gpu-reset", …, "unknown"

// Empty is what the driver or the GPU does not support.
struct GpuReading {
  unsigned index = 0;
  std::string bus;   // "0000:07:00.0"
  std::string uuid;  // "GPU-…"
  std::string name;  // "NVIDIA H100 80GB HBM3"
  std::string lost;  // NVML's words when it cannot be asked: "GPU is lost"
  std::optional<uint64_t> ecc_corrected, ecc_uncorrected;  // since the driver was loaded
  std::optional<unsigned> rows_pending, rows_failed;       // remapping
  std::optional<unsigned> pages_retired;
  std::vector<bool> nvlinks;  // whether each is up; empty without NVLink
  std::optional<unsigned> pcie_generation, pcie_width, pcie_replays;
  std::optional<unsigned> performance_state;  // 0 is the fastest: the link may rest in others
  std::optional<uint64_t> throttle_reasons;   // bits, throttle.h of NVML
  std::optional<unsigned> celsius;
  std::optional<unsigned> power_limit_mw, default_power_limit_mw;
  std::optional<std::vector<GpuProcess>> processes;
  std::optional<bool> persistence;
  std::optional<unsigned> recovery_action;

  std::string label() const;  // "GPU 3 0000:07:00.0"
};

struct Gpus {
  std::string error;        // why there is nothing; empty when there is
  bool no_library = false;  // libnvidia-ml.so.1 is not there, or no driver is loaded
  bool mismatch = false;    // library and driver are of different versions
  std::string driver_version, library_version;
  std::vector<GpuReading> gpus;
};

// Asks NVML, which is loaded at run time. It may hang with the driver, so this is for a process
// that may be killed; `doing` is told before each step that may.
Gpus read_gpus(const std::function<void(const std::string&)>& doing);

// Listens to NVML's events: calls `ready` when it does, and `tell` for each Xid of a GPU of this
// node, until that is false, NVML fails, or a GPU is lost. At once when there is no GPU. It may
// hang, too.
void watch_xids(const std::function<void()>& ready, const std::function<bool(const Xid&)>& tell);

// What all GPUs together have taken since the driver was loaded, in millijoules. Nothing when there
// are none, or one does not say (before Volta). It may hang, too.
std::optional<uint64_t> read_gpu_energy_mj(const std::function<void(const std::string&)>& doing);

}  // namespace slipway::health
