// The statistics of a sample of times, left empty where the sample is too small for them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace slipway::bandwidth {

struct Interval {
  double low = 0;
  double high = 0;
};

struct Statistics {
  int64_t count = 0;
  double least = 0;
  double median = 0;
  double most = 0;
  double mad = 0;  // median absolute deviation from the median
  // The median's interval with at least 95 % confidence, by order statistics, so no distribution is
  // assumed. Empty below six values, which are too few.
  std::optional<Interval> interval;
  // By nearest rank. Empty below 20 and 100 values, where they would be the maximum.
  std::optional<double> p95;
  std::optional<double> p99;
  int64_t outliers = 0;  // further from the median than five robust standard deviations
  bool drift = false;    // the first and the second half have medians with disjoint intervals
  double mean = 0;       // what the OSU benchmarks print
};

// Describes values in the order in which they were measured; at least one.
Statistics describe(std::span<const double> values);

// Half the width of the interval as a share of the median; empty without an interval.
std::optional<double> relative_half_width(const Statistics& statistics);

// 1.4826 × MAD estimates the standard deviation of normally distributed values.
inline constexpr double mad_to_deviation = 1.4826;

// Single iterations by nccl-tests' definitions: the upper median, percentiles by nearest rank, so
// that with fewer than 100 values p99 is the maximum, and the deviation with the divisor n. All are
// 0 without values.
struct IterationTimes {
  double least_us = 0, most_us = 0, mean_us = 0, deviation_us = 0;
  double p50_us = 0, p95_us = 0, p99_us = 0;

  double deviation_percent() const { return mean_us > 0 ? deviation_us / mean_us * 100 : 0; }
};
IterationTimes iteration_times(std::vector<double> us);

}  // namespace slipway::bandwidth
