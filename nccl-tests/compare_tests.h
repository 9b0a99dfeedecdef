// The statistics of a comparison, row by row: from the levels of runs to p-values and power.
#pragma once

#include <string>
#include <vector>

#include "nccl-tests/compare.h"
#include "nccl-tests/permutation.h"
#include "nccl-tests/run_level.h"

namespace slipway::bandwidth {

// At most this share of comparisons of equal runs finds a difference, in any of its rows.
inline constexpr double false_alarms = 0.05;
inline constexpr double wanted_power = 0.8;

// One row's level in each run.
struct RowLevels {
  std::vector<RunLevel> before, after;
};

// Where each run is in the order of all.
struct RunTimes {
  std::vector<double> before, after;
  bool in_turn = false;  // neither side was much earlier than the other
};
RunTimes times_of(const Sides& sides);

// What a report has of one placement.
RunLevel level_of(const Measured& measured);

// Natural logarithms of the ratio of times.
struct RowResult {
  double log_ratio = 0;
  double low = 0, high = 0;  // 95 %, for this row alone
  double p_faster = 1;       // corrected for all rows, like those below
  double p_slower = 1;
  double p_slower_too_much = 1;  // by more than is allowed
  double detectable = 0;         // is found too slow with wanted_power
};

// Tests all rows together. `allowed` is a logarithm.
std::vector<RowResult> test_rows(const std::vector<RowLevels>& rows, Design design,
                                 const RunTimes& times, double allowed);

// How far the true mean has to be above what is allowed, so that the statistic exceeds `critical`
// with wanted_power; in standard errors (the noncentral t distribution, approximated by Johnson and
// Welch, 1940).
double needed_errors(double critical, double freedom);

}  // namespace slipway::bandwidth
