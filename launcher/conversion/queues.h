// A blueprint's partitions as queues of Kueue.
#pragma once

#include <filesystem>
#include <string>

#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/source/diagnostics.h"

namespace slipway::conversion {

struct QueueChoices {
  std::string space = "default";  // the namespace of the LocalQueues
  bool flex_start = false;        // machines come through Dynamic Workload Scheduler
};

// The manifest: a flavor for each nodeset, queues for each partition, the topology of machines with
// GPUs, and priority classes. `catalogue_folder` has kueue.yaml, whose problems go to
// `diagnostics`.
std::string queues(const cluster::Cluster& cluster, const cluster::Catalogue& catalogue,
                   const QueueChoices& choices, const std::filesystem::path& catalogue_folder,
                   source::Sources& sources, source::Diagnostics& diagnostics);

}  // namespace slipway::conversion
