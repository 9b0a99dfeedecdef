// Does a bandwidth reach a floor, given its noise? Yes, no, or too noisy to say.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nccl-tests/run_level.h"

namespace slipway::bandwidth {

enum class Reached { yes, no, unclear };

// One size and placement, measured in one run or in several.
struct FloorCheck {
  double busbw_gb_per_s = 0;  // the level of the runs
  double low_gb_per_s = 0;    // it is above this with 95 % confidence,
  double high_gb_per_s = 0;   // and below this with 95 % for all checks together
  double floor_gb_per_s = 0;
  Reached reached = Reached::unclear;
  // If unclear, how many runs would tell, as far as these runs show how much runs differ; empty if
  // more than most_useful_runs.
  std::optional<int> runs_needed = {};
};

inline constexpr int most_useful_runs = 1000;
inline constexpr double wrong_verdicts = 0.05;  // at most, each way

// Judges one of `checks` checks that belong to a verdict. `runs` are the levels of the bandwidth's
// logarithm in GB/s: at least one. The verdict passes if all checks reach their floors, and fails
// if any does not; either is wrong in at most 5 % of the cases. For that, "yes" needs 95 %
// confidence, and "no" needs 95 % for all of the checks together (Bonferroni).
FloorCheck check_floor(std::span<const RunLevel> runs, double floor_gb_per_s, size_t checks);

// The level of a busbw whose times are `level` and whose median time is `median_us`.
RunLevel bandwidth_level(const RunLevel& level, double median_us, double busbw_gb_per_s);

// "reaches 169.92 GB/s: with 95 % confidence it is at least 173.65"
std::string to_string(const FloorCheck& check);

}  // namespace slipway::bandwidth
