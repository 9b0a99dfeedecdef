// Whether the pairs of a scan reach what the machine type is known to reach: a cluster that is slow
// as a whole looks even.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/node_profile.h"
#include "nccl-tests/backend.h"
#include "nccl-tests/scan.h"
#include "nccl-tests/verdict.h"

namespace slipway::bandwidth {

// How the pairs were measured.
struct ScannedPairs {
  std::optional<NodeProfile> profile;
  BackendInfo backend;
  std::string transport;  // as the pairs detected it; empty if unknown
  int ranks = 2;          // of a pair, on two nodes
  int64_t bytes = 0;
};

// The verdict of a bandwidth test with the median pair of a scan.
Verdict judge_pairs(const ScannedPairs& how, const std::vector<PairResult>& results);

// The smallest size for which there is an expected figure; empty if there is none.
std::optional<int64_t> judged_size(const ScannedPairs& how);

}  // namespace slipway::bandwidth
