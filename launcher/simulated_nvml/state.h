// The current state of the simulated GPUs, from the file that the deployment's supervisor writes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/simulated_nvml/power_curve.h"

namespace slipway::simulated_nvml {

struct Xid {
  long number = 0;  // event number: later ones are larger
  int xid = 0;
};

struct Gpu {
  std::string uuid, name;
  unsigned pci_bus = 0;
  bool lost = false;
  unsigned long long ecc_uncorrected = 0;
  std::vector<Xid> xids;

  unsigned long long ecc_corrected = 0;
  bool remap_failed = false;
  unsigned pages_retired = 0;
  int nvlink_down = -1;  // link number
  unsigned pcie_generation = 5, pcie_width = 16, pcie_replays = 0;
  bool throttled = false;
  unsigned celsius = 35, power_limit_watts = 700;
  unsigned process = 0;  // ID of a process on the GPU
  bool persistence = true;
  int recovery_action = -1;  // -1: not supported by the driver
  PowerCurve power = {};     // by the clock since the node started; empty: that of an idle GPU
};

struct State {
  std::string driver_version;
  std::vector<Gpu> gpus;  // the GPUs that are present
  bool mismatch = false;  // library and driver have different versions
  long last_event = 0;
};

// Reads the file, again whenever it was replaced. Empty if it does not exist or cannot be read.
// Does not return while the state says that NVML hangs.
std::optional<State> current_state();

}  // namespace slipway::simulated_nvml
