// What NVML says about the GPUs of the stand-in of NVIDIA's driver: FAKE_CUDA_DEVICES healthy ones,
// except for what FAKE_NVML says, "1:throttled,0:uncorrected,2:lost". From the first kernel on that
// is launched after the setting was first read, a GPU has these faults: they happen under load.
#include "launcher/simulated_nvml/state.h"

#include <mutex>

#include "tests/fakes/cuda/gpu.h"

namespace slipway::simulated_nvml {
namespace {

struct Baseline {
  std::mutex mutex;
  bool is_known = false;
  std::string settings;
  int64_t launches = 0;
};

bool is_under_load(const std::string& settings) {
  static Baseline baseline;
  const std::lock_guard lock(baseline.mutex);
  const int64_t launches = fake::counted("cuLaunchKernel");
  if (!baseline.is_known || baseline.settings != settings) {
    baseline.is_known = true;
    baseline.settings = settings;
    baseline.launches = launches;
  }
  return launches > baseline.launches;
}

bool is_ordered(const std::string& settings, int device, const char* what) {
  const std::string wanted = "," + std::to_string(device) + ":" + what + ",";
  return ("," + settings + ",").find(wanted) != std::string::npos;
}

}  // namespace

std::optional<State> current_state() {
  const std::string settings = fake::setting("FAKE_NVML");
  const bool under_load = is_under_load(settings);
  State state;
  state.driver_version = "580.65.06";
  for (int device = 0; device < fake::devices(); ++device) {
    Gpu gpu;
    gpu.uuid = "GPU-" + std::to_string(device);
    gpu.name = fake::setting("FAKE_CUDA_NAME", "NVIDIA H100 80GB HBM3");
    gpu.pci_bus = 4 + static_cast<unsigned>(device);
    const auto has = [&](const char* what) {
      return under_load && is_ordered(settings, device, what);
    };
    gpu.throttled = has("throttled");
    gpu.celsius = gpu.throttled ? 92 : 41;
    gpu.ecc_uncorrected = has("uncorrected") ? 2 : 0;
    gpu.lost = has("lost");
    state.gpus.push_back(gpu);
  }
  return state;
}

}  // namespace slipway::simulated_nvml
