// The statistics of a sample of times.
#include "nccl-tests/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "common/distributions.h"
#include "common/median.h"

namespace slipway::bandwidth {
namespace {

constexpr double confidence = 0.95;
constexpr size_t least_for_drift = 12;

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::ranges::sort(copy);
  return copy;
}

double middle(const std::vector<double>& ordered) {
  const size_t n = ordered.size();
  return n % 2 == 1 ? ordered[n / 2] : (ordered[n / 2 - 1] + ordered[n / 2]) / 2;
}

// The median is between the (k+1)th smallest and the (k+1)th largest value unless k or fewer values
// are on one side of it. This takes the largest k for which that is unlikely enough.
std::optional<Interval> median_interval(const std::vector<double>& ordered) {
  const size_t n = ordered.size();
  const double tail = (1 - confidence) / 2;
  const auto chance = [&](size_t k) {  // that at most k values are below the median
    return binomial_cdf(static_cast<int>(k), static_cast<int>(n), 0.5);
  };
  if (chance(0) > tail) return std::nullopt;
  // For large samples the normal approximation is as good, and takes one step.
  size_t k = 0;
  if (n > 1000) {
    const auto count = static_cast<double>(n);
    k = static_cast<size_t>(std::floor(count / 2 - 0.98 * std::sqrt(count))) - 1;
  } else {
    while (chance(k + 1) <= tail) ++k;
  }
  return Interval{ordered[k], ordered[n - 1 - k]};
}

std::optional<double> percentile(const std::vector<double>& ordered, int percent, size_t least) {
  const size_t n = ordered.size();
  if (n < least) return std::nullopt;
  return ordered[(n * static_cast<size_t>(percent) + 99) / 100 - 1];
}

bool drifts(std::span<const double> values) {
  if (values.size() < least_for_drift) return false;
  const size_t half = values.size() / 2;
  const auto first = median_interval(sorted(values.first(half)));
  const auto second = median_interval(sorted(values.last(half)));
  return first && second && (first->high < second->low || second->high < first->low);
}

}  // namespace

Statistics describe(std::span<const double> values) {
  const std::vector<double> ordered = sorted(values);
  Statistics result;
  result.count = static_cast<int64_t>(values.size());
  result.least = ordered.front();
  result.most = ordered.back();
  result.median = middle(ordered);
  for (const double value : ordered) result.mean += value / static_cast<double>(ordered.size());
  std::vector<double> deviations;
  for (const double value : ordered) deviations.push_back(std::fabs(value - result.median));
  result.mad = median(deviations);
  result.interval = median_interval(ordered);
  result.p95 = percentile(ordered, 95, 20);
  result.p99 = percentile(ordered, 99, 100);
  const double far = 5 * mad_to_deviation * result.mad;
  if (far > 0) {
    result.outliers = std::ranges::count_if(deviations, [&](double d) { return d > far; });
  }
  result.drift = drifts(values);
  return result;
}

std::optional<double> relative_half_width(const Statistics& statistics) {
  if (!statistics.interval || statistics.median <= 0) return std::nullopt;
  return (statistics.interval->high - statistics.interval->low) / 2 / statistics.median;
}

IterationTimes iteration_times(std::vector<double> us) {
  IterationTimes times;
  if (us.empty()) return times;
  std::ranges::sort(us);
  const size_t n = us.size();
  const auto nearest_rank = [&](size_t percent) { return us[(n * percent + 99) / 100 - 1]; };
  double variance = 0;
  for (const double one : us) times.mean_us += one / static_cast<double>(n);
  for (const double one : us)
    variance += (one - times.mean_us) * (one - times.mean_us) / static_cast<double>(n);
  times.least_us = us.front();
  times.most_us = us.back();
  times.deviation_us = std::sqrt(variance);
  times.p50_us = us[n / 2];
  times.p95_us = nearest_rank(95);
  times.p99_us = nearest_rank(99);
  return times;
}

}  // namespace slipway::bandwidth
