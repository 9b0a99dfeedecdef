// Reads the current state of the simulated GPUs.
#include "launcher/simulated_nvml/state.h"

#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

namespace slipway::simulated_nvml {
namespace {

// Tests have a file of their own.
#ifndef SLIPWAY_GPUS
#define SLIPWAY_GPUS "/run/slipway-gpus/gpus.json"
#endif
constexpr const char* path = SLIPWAY_GPUS;

Gpu gpu_of(const nlohmann::json& one) {
  Gpu gpu{one.at("uuid"),
          one.at("name"),
          one.at("pci_bus"),
          one.at("lost"),
          one.at("ecc_uncorrected"),
          {}};
  for (const nlohmann::json& xid : one.at("xids")) {
    gpu.xids.push_back({xid.at("number"), xid.at("xid")});
  }
  gpu.ecc_corrected = one.value("ecc_corrected", gpu.ecc_corrected);
  gpu.remap_failed = one.value("remap_failed", gpu.remap_failed);
  gpu.pages_retired = one.value("pages_retired", gpu.pages_retired);
  gpu.nvlink_down = one.value("nvlink_down", gpu.nvlink_down);
  gpu.pcie_generation = one.value("pcie_generation", gpu.pcie_generation);
  gpu.pcie_width = one.value("pcie_width", gpu.pcie_width);
  gpu.pcie_replays = one.value("pcie_replays", gpu.pcie_replays);
  gpu.throttled = one.value("throttled", gpu.throttled);
  gpu.celsius = one.value("celsius", gpu.celsius);
  gpu.power_limit_watts = one.value("power_limit_watts", gpu.power_limit_watts);
  gpu.process = one.value("process", gpu.process);
  gpu.persistence = !one.value("persistence_off", false);
  gpu.recovery_action = one.value("recovery_action", gpu.recovery_action);
  // [[seconds, watts], ...]
  for (const nlohmann::json& point : one.value("power", nlohmann::json::array()))
    gpu.power.push_back({point.at(0), point.at(1)});
  if (!is_power_curve(gpu.power)) gpu.power.clear();
  return gpu;
}

State state_of(const nlohmann::json& body) {
  State state;
  state.driver_version = body.at("driver_version");
  state.mismatch = body.value("mismatch", false);
  state.last_event = body.value("events", 0L);
  for (const nlohmann::json& one : body.at("gpus")) {
    if (!one.value("missing", false)) state.gpus.push_back(gpu_of(one));
  }
  return state;
}

// The file as last read; a writer replaces it rather than changing it in place.
struct Read {
  dev_t device = 0;
  ino_t file = 0;
  timespec changed = {};
  std::optional<State> state;

  bool is(const struct stat& now) const {
    return state && device == now.st_dev && file == now.st_ino &&
           changed.tv_sec == now.st_ctim.tv_sec && changed.tv_nsec == now.st_ctim.tv_nsec;
  }
};

std::mutex guard;
Read last;

}  // namespace

std::optional<State> current_state() {
  for (;;) {
    struct stat now = {};
    if (::stat(path, &now) != 0) return std::nullopt;
    const std::lock_guard lock(guard);
    if (last.is(now)) return last.state;
    try {
      std::ifstream file(path);
      const nlohmann::json body = nlohmann::json::parse(file);
      if (!body.value("nvml_hangs", false)) {
        last = {now.st_dev, now.st_ino, now.st_ctim, state_of(body)};
        return last.state;
      }
    } catch (const nlohmann::json::exception&) {
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace slipway::simulated_nvml
