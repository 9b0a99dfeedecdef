// Recognizes a machine's type.
#pragma once

#include <string>
#include <vector>

#include "launcher/cluster/catalogue.h"
#include "launcher/hosts/found_gpus.h"
#include "launcher/hosts/found_nics.h"

namespace slipway::hosts {

struct RecognizedMachine {
  std::string name;                               // "dgx-h100"; "hardware" if nothing fits
  std::string origin;                             // "firmware: NVIDIA DGXH100"
  const cluster::MachineType* type = nullptr;     // its row of machines.yaml, if it has one
  const HardwareTable::Machine* whole = nullptr;  // its row of hardware.yaml, if it has one
};

RecognizedMachine recognize(const health::Machine& machine, const cluster::Catalogue& catalogue,
                            const HardwareTable& table, const FoundGpus& gpus,
                            const std::vector<FoundNic>& nics);

}  // namespace slipway::hosts
