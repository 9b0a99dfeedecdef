// A whole run of one program, from which the table, the report and the verdict are made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/node_profile.h"
#include "nccl-tests/backend.h"
#include "nccl-tests/loopback_control.h"
#include "nccl-tests/measure.h"
#include "nccl-tests/options.h"

namespace slipway::bandwidth {

// GPU memory of the rank that used most: nccl-tests' -M.
struct MemoryUse {
  int64_t library_bytes = 0;  // for the communicator
  int64_t buffer_bytes = 0;
  int64_t collective_bytes = 0;  // while collectives ran
};

// The parameters of a run, and its results that belong to no single size.
struct Setup {
  const Collective* collective = nullptr;
  Options options;
  BackendInfo backend;
  std::vector<RankInfo> ranks;                       // of rank 0's group
  std::vector<RankInfo> all_ranks;                   // of all groups (NCCL_TESTS_SPLIT)
  std::optional<NodeProfile> profile;                // of rank 0's node
  std::map<std::string, std::string> environment;    // of rank 0, only what may be shown
  std::string started_utc;                           // "2026-11-21T08:15:29Z"
  std::map<std::string, std::string> software = {};  // under all ranks: software.h
  // The transport of the data, as the ranks detected it afterward; empty if unknown.
  std::string transport = {};
  // Measured in turn with the largest size, where the node profile asks for a control.
  std::optional<ControlledRun> control = {};
  // NCCL_TESTS_MIN_BW: the run fails if the average bandwidth is below nine tenths of it.
  std::optional<double> least_average_gb_per_s = {};
  std::optional<MemoryUse> memory = {};  // with -M
};

// Checked runs, counted on each rank, with a wrong element: nccl-tests' "out of bounds values".
int64_t wrong_runs(const std::vector<Row>& rows);

// The number of wrong elements; empty if no data was checked.
std::optional<int64_t> wrong_elements(const std::vector<Row>& rows);

// Whether the average reaches the least one; true if there is none.
bool reaches_least_average(const Setup& setup, const std::vector<Row>& rows);

// The mean of busbw over all sizes and both placements, as in nccl-tests' last line.
double average_busbw_gb_per_s(const std::vector<Row>& rows);

// All ranks' transports: each once, sorted, joined by ", ".
std::string joined_transport(const std::vector<std::string>& of_ranks);

}  // namespace slipway::bandwidth
