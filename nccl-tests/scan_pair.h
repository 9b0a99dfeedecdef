// Measures one pair of nodes in processes of its own, one for each rank, so that a rank that dies
// or hangs takes only this pair along.
#pragma once

#include <string>
#include <vector>

#include "nccl-tests/launch.h"
#include "nccl-tests/options.h"
#include "nccl-tests/scan.h"

namespace slipway::bandwidth {

// What the ranks of a group measure.
namespace task {
inline constexpr const char* pair = "pair";      // all_gather among all of its ranks
inline constexpr const char* out = "out";        // from its rank 0 to its rank 1
inline constexpr const char* in = "in";          // from its rank 1 to its rank 0
inline constexpr const char* inside = "inside";  // its one rank: what the node does by itself
inline constexpr const char* gpus = "gpus";      // all_reduce among all ranks of one node, on GPUs
inline constexpr const char* list = "list";      // its one rank: which GPUs it sees
}  // namespace task
// A burn is a task, too: scan_burn.h.

// How long a task may take, if a pair may take `limit_seconds`.
double limit_of(const std::string& task, double limit_seconds);

// A rank of a pair, as its process receives it: "3/16 8823 10.0.0.7 pair".
struct PairRank {
  int rank = 0, size = 2;
  uint64_t token = 0;  // different for every pair and round
  std::string host;    // of the pair's rank 0
  std::string task = task::pair;
};
std::string to_text(const PairRank& rank);
PairRank parse_pair_rank(const std::string& text);  // throws Error

// What a rank of a pair reports. Only rank 0 of the pair has a bandwidth.
struct PairOutcome {
  double busbw_gb_per_s = 0;
  std::string transport;
  std::string failure;  // empty: it worked
  // Of the task `inside`: scan_levels.h; of `list`: bus IDs; of a burn: gpu_burn.h.
  std::string levels = {};
};
std::string to_text(const PairOutcome& outcome);
PairOutcome parse_pair_outcome(const std::string& text);  // throws Error

// In the process of the rank: measures, and returns the exit status. The outcome is on stdout.
int run_pair_rank(const PairRank& rank, BackendChoice backend, const PairTest& test,
                  double limit_seconds);

// Starts such a process of this program with these arguments and the rank, and waits for it.
PairOutcome start_pair_rank(const PairRank& rank, const std::vector<std::string>& arguments,
                            double limit_seconds);

// The hidden option that makes a process a rank of a pair.
inline constexpr const char* pair_option = "pair-rank";

}  // namespace slipway::bandwidth
