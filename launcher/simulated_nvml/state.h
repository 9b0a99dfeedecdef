// What the simulated GPUs are like now: the file that the deployment's supervisor writes.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace slipway::simulated_nvml {

struct Xid {
  long number = 0;  // of the event: later ones have larger numbers
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
  int nvlink_down = -1;  // number of the link
  unsigned pcie_generation = 5, pcie_width = 16, pcie_replays = 0;
  bool throttled = false;
  unsigned celsius = 35, power_limit_watts = 700;
  unsigned process = 0;  // the id of one that is on it
  bool persistence = true;
  int recovery_action = -1;  // -1: the driver is too old to say
};

struct State {
  std::string driver_version;
  std::vector<Gpu> gpus;  // those that are there
  bool mismatch = false;  // library and driver are of different versions
  long last_event = 0;
};

// What the file says; it is read again when it is another one. Nothing when there is none, or none
// that can be read. While the state says that NVML hangs, this does not return.
std::optional<State> current_state();

}  // namespace slipway::simulated_nvml
