// Computes how much of Google Cloud's quotas a deployment needs, before it is created.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "launcher/cluster/catalogue.h"
#include "launcher/google/definitions.h"
#include "launcher/google/quota_table.h"

namespace slipway::google {

struct Need {
  std::string region;     // empty: the quota is for the whole project
  std::string service;    // "compute.googleapis.com"
  std::string quota;      // "GPUS_PER_GPU_FAMILY"
  std::string dimension;  // "gpu_family=NVIDIA_H100_MEGA"; may be empty
  std::string unit;       // "GB", "GiB"; empty for a count
  int64_t amount = 0;     // with all on-demand nodes
  int64_t on_demand = 0;  // the part for on-demand nodes
  std::set<std::string> modules;
};

struct Needs {
  std::vector<Need> quotas;        // by region, then by service and name
  std::vector<std::string> notes;  // what could not be counted and why
};

Needs count_needs(const Definitions& definitions, const cluster::Catalogue& catalogue,
                  const QuotaTable& quotas);

}  // namespace slipway::google
