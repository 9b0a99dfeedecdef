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
};

struct State {
  std::string driver_version;
  std::vector<Gpu> gpus;
  long last_event = 0;
};

// Reads the file. Nothing when there is none, or none that can be read. While the state says that
// NVML hangs, this does not return.
std::optional<State> current_state();

}  // namespace slipway::simulated_nvml
