// The nodesets of TPUs in a blueprint. Cluster Toolkit's Slurm starts them, so they are in no
// cluster model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/blueprint/evaluation.h"
#include "launcher/cluster/model.h"
#include "launcher/cluster/tpu_table.h"

namespace slipway::cluster {

struct TpuNodeset {
  std::string name;      // of the nodeset
  std::string type;      // "v4-32"
  std::string topology;  // "2x2x4", if the blueprint says so
  std::string partition;
  bool is_default = false;  // the partition of jobs that name none
  int64_t machines = 0;     // at most
  source::Span place;       // of the module's id
};

// Each nodeset with known settings, once for each partition that uses it.
std::vector<TpuNodeset> tpu_nodesets(blueprint::Evaluation& evaluation, const TpuTable& table);

// A partition without them in such a blueprint. Its nodesets have what their settings say.
struct PlainPartition {
  std::string name;
  std::vector<Nodeset> nodesets;  // those with a known machine type
  source::Span place;             // of the module's id
};

std::vector<PlainPartition> partitions_without_tpus(blueprint::Evaluation& evaluation,
                                                    const TpuTable& table);

}  // namespace slipway::cluster
