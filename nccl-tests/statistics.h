// What a sample of times says, and no more than it can say.
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
  // Of the median, by order statistics: no shape of the distribution is assumed. At least 95 %
  // confidence; none below six values, which do not carry one.
  std::optional<Interval> interval;
  // Nearest rank; none where the sample has no value beyond: below 20, below 100.
  std::optional<double> p95;
  std::optional<double> p99;
  int64_t outliers = 0;  // further from the median than five robust standard deviations
  bool drift = false;    // the halves in time have medians whose intervals do not meet
};

// Of values in the order in which they were taken; at least one.
Statistics describe(std::span<const double> values);

// Half the width of the interval as a share of the median; none without an interval.
std::optional<double> relative_half_width(const Statistics& statistics);

// The median of an unsorted sample; at least one value.
double median_of(std::span<const double> values);

// 1.4826 × MAD estimates the standard deviation where values are normal.
inline constexpr double mad_to_deviation = 1.4826;

}  // namespace slipway::bandwidth
