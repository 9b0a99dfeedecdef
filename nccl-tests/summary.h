// A whole run of one program: what table, report and verdict are made from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/node_profile.h"
#include "nccl-tests/backend.h"
#include "nccl-tests/measure.h"
#include "nccl-tests/options.h"

namespace slipway::bandwidth {

// What is known before the first size is measured, and what every run has in common.
struct Setup {
  const Collective* collective = nullptr;
  Options options;
  BackendInfo backend;
  std::vector<RankInfo> ranks;
  std::optional<NodeProfile> profile;              // of rank 0's node
  std::map<std::string, std::string> environment;  // of rank 0, only what may be shown
  std::string started_utc;                         // "2026-11-21T08:15:29Z"
  // How the data travelled, by what the ranks saw when it was over; empty where none can tell.
  std::string transport = {};
};

// Checked runs, counted on each rank, with a wrong element: nccl-tests' "out of bounds values".
int64_t wrong_runs(const std::vector<Row>& rows);

// Elements that arrived wrong; none when no data was checked.
std::optional<int64_t> wrong_elements(const std::vector<Row>& rows);

// The mean of busbw over every size and both placements, as nccl-tests' last line has it.
double average_busbw_gb_per_s(const std::vector<Row>& rows);

// What the ranks' transports are together: each once, in order, joined by ", ".
std::string joined_transport(const std::vector<std::string>& of_ranks);

}  // namespace slipway::bandwidth
