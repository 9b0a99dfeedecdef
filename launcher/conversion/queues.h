// A blueprint's partitions as queues of Kueue.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "launcher/cluster/catalogue.h"
#include "launcher/cluster/model.h"
#include "launcher/cluster/tpu_nodesets.h"
#include "launcher/conversion/kueue.h"
#include "launcher/source/diagnostics.h"

namespace slipway::conversion {

struct QueueChoices {
  std::string space = "default";  // the namespace of the LocalQueues
  bool flex_start = false;        // machines come through Dynamic Workload Scheduler
};

// A nodeset.
struct QueueFlavor {
  std::string name, about;                                  // "machines of type n2-standard-4"
  std::vector<std::pair<std::string, std::string>> labels;  // of its machines
  std::string accelerator;  // "nvidia.com/gpu": a resource, and the key of the machines' taint; may
                            // be empty
  bool is_placed = false;   // Kueue knows how near its machines are to each other
  std::string slice;        // the topology of its slices of TPUs; empty: it has none
  int64_t machines = 0;
  std::string counted;                                 // "4 machines"
  int64_t cpus = 0, memory_mib = 0, accelerators = 0;  // of a machine
};

struct QueuePartition {
  std::string name;
  std::vector<std::string> flavors;
};

struct Queues {
  std::string cluster;
  std::vector<QueueFlavor> flavors;
  std::vector<QueuePartition> partitions;
};

Queues queues_of(const cluster::Cluster& cluster, const cluster::Catalogue& catalogue,
                 const KueueTable& table);

// Adds a partition whose nodesets are not in a cluster model. Reports machine types that are not
// known, which have no quotas (W0603).
void add_partition(const cluster::PlainPartition& partition, const cluster::Catalogue& catalogue,
                   const KueueTable& table, Queues& queues, source::Diagnostics& diagnostics);

// Those of the partitions with TPUs, which are not in a cluster model. Reports nodesets that GKE
// does not have (E0602).
Queues queues_of(const std::string& cluster, const std::vector<cluster::TpuNodeset>& nodesets,
                 const cluster::TpuTable& tpus, const cluster::Catalogue& catalogue,
                 source::Diagnostics& diagnostics);

// The manifest: a flavor for each nodeset, queues for each partition, the topology of machines with
// GPUs, and priority classes.
std::string queues_manifest(const Queues& queues, const QueueChoices& choices,
                            const KueueTable& table);

}  // namespace slipway::conversion
