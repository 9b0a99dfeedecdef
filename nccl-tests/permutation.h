// Permutation tests of many rows at once: is the second side slower, in any row?
//
// If the two sides are equal, runs may be exchanged between them without a difference, whatever
// their noise is like: its shape, what samples of a run or rows of a report have in common, and, if
// the order of every pair was drawn by lot, how it changes in time. So the share of exchanges that
// look as slow as what was measured is the chance of being fooled. Each exchange concerns whole
// runs, and counts its slowest row, so that many rows do not fool more often than one (Westfall and
// Young, 1993, step-down).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace slipway::bandwidth {

// [row][run], natural logarithms of times.
using LogTable = std::vector<std::vector<double>>;

// For each row, the p-value of "the mean of its differences is above `shift`", corrected for all
// rows. Each difference is that of a pair of runs, whose order was drawn by lot. All rows have
// equally many: at least two.
std::vector<double> paired_p_values(const LogTable& differences, double shift);

// For each row, the p-value of "the mean of `after` is above that of `before` by more than
// `shift`", corrected for all rows. At least two runs a side.
std::vector<double> group_p_values(const LogTable& before, const LogTable& after, double shift);

// The smallest p-value that so many pairs, or runs a side, can have.
double least_paired_p(size_t pairs);
double least_group_p(size_t before, size_t after);

// The statistic that the slowest of equal rows exceeds in at most `level` of all exchanges.
double paired_critical(const LogTable& differences, double level);
double group_critical(const LogTable& before, const LogTable& after, double level);

// Mean and standard error, on which both the tests and their power are based.
struct MeanError {
  double mean = 0;
  double error = 0;
  double freedom = 0;
};
MeanError paired_mean(std::span<const double> differences);
MeanError difference_of_means(std::span<const double> before, std::span<const double> after);

}  // namespace slipway::bandwidth
