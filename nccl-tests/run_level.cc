// What one run says about a time: a level, and how uncertain it is.
#include "nccl-tests/run_level.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace slipway::bandwidth {
namespace {

constexpr double trimmed_share = 0.2;  // at each end

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The sum of squared distances from the mean.
double squares(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

// The correlation of each value with the next. In short samples it comes out too low by about
// (1 + 3ρ)/n (Marriott and Pope, 1954), which is added.
double correlation_with_next(std::span<const double> values) {
  const double total = squares(values), mean = mean_of(values);
  if (total <= 0) return 0;
  double sum = 0;
  for (size_t i = 1; i < values.size(); ++i) sum += (values[i] - mean) * (values[i - 1] - mean);
  const double found = sum / total;
  return found + (1 + 3 * found) / static_cast<double>(values.size());
}

}  // namespace

double variance_inflation(std::span<const double> values) {
  constexpr size_t least = 6;  // below, a correlation may be chance
  constexpr double most = 0.98;
  if (values.size() < least) return 1;
  const double correlation = std::clamp(correlation_with_next(values), 0.0, most);
  // Of n values with the correlation ρ^d at the distance d.
  double sum = 1, power = 1;
  const auto n = static_cast<double>(values.size());
  for (size_t d = 1; d < values.size(); ++d) {
    power *= correlation;
    sum += 2 * (1 - static_cast<double>(d) / n) * power;
  }
  return sum;
}

RunLevel run_level(std::span<const double> samples_us) {
  std::vector<double> logs;
  // A coarse clock may show no time at all.
  for (const double us : samples_us) logs.push_back(std::log(std::max(us, 1e-3)));
  std::vector<double> ordered = logs;
  std::ranges::sort(ordered);
  const size_t n = ordered.size();
  // The epsilon is for shares that are not exact in binary.
  const auto cut = static_cast<size_t>(trimmed_share * static_cast<double>(n) + 1e-9);
  const size_t kept = n - 2 * cut;
  RunLevel level;
  level.log_us = mean_of(std::span(ordered).subspan(cut, kept));
  if (n < 2) return level;

  const double low = ordered[cut], high = ordered[n - 1 - cut];
  for (double& value : logs) value = std::clamp(value, low, high);
  const double inflation = variance_inflation(logs);
  const auto count = static_cast<double>(n);
  // What samples have in common does not show in their distances from each other.
  const double variance = squares(logs) / std::max(count - inflation, count / 5);
  const double share = static_cast<double>(kept) / count;
  level.deviation = std::sqrt(variance) / share;
  level.error = std::sqrt(variance / count * inflation) / share;
  level.freedom = static_cast<double>(kept - 1);
  return level;
}

}  // namespace slipway::bandwidth
