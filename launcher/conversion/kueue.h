// Names of Kueue and GKE, by which jobs and queues choose machines: kueue.yaml of the catalogue.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "launcher/source/diagnostics.h"

namespace slipway::conversion {

struct KueueTable {
  std::string api, accelerator_label, machine_label;
  std::vector<std::string> levels;  // labels of a machine's place, from far to near
  std::vector<std::pair<std::string, int64_t>> priorities;
  std::string controller, provisioning_class, queued_label, topology_parameter;
};

// Problems with the file go to `diagnostics` (E0902).
KueueTable read_kueue(const std::filesystem::path& folder, source::Sources& sources,
                      source::Diagnostics& diagnostics);

}  // namespace slipway::conversion
