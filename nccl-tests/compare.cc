// Compares two reports: is the new run slower than the old one, and how certain is that?
#include "nccl-tests/compare.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace slipway::bandwidth {
namespace {

// The factor of a standard error that makes an interval of 95 %.
constexpr double normal_95 = 1.959964;

bool same_kind(const MeasuredRow& a, const MeasuredRow& b) {
  return a.size_bytes == b.size_bytes && a.datatype == b.datatype && a.reduction == b.reduction &&
         a.root == b.root;
}

// The standard error of the logarithm of a median.
double log_error(const Interval& interval) {
  return (std::log(interval.high) - std::log(interval.low)) / (2 * normal_95);
}

Comparison compare_placement(const MeasuredRow& row, const Measured& before,
                             const Measured& after) {
  Comparison result{.row = row,
                    .placement = before.placement,
                    .slower = std::nullopt,
                    .interval = std::nullopt,
                    .why_not = ""};
  if (before.median_us <= 0 || after.median_us <= 0) {
    result.why_not = "no time was measured";
    return result;
  }
  const double log_ratio = std::log(after.median_us / before.median_us);
  result.slower = std::exp(log_ratio) - 1;
  if (!before.interval_us || !after.interval_us || before.interval_us->low <= 0 ||
      after.interval_us->low <= 0) {
    result.why_not = fmt::format("{} and {} samples are too few; measure with --samples 10",
                                 before.samples, after.samples);
    return result;
  }
  const double error =
      normal_95 * std::hypot(log_error(*before.interval_us), log_error(*after.interval_us));
  result.interval = Interval{std::exp(log_ratio - error) - 1, std::exp(log_ratio + error) - 1};
  return result;
}

}  // namespace

std::vector<std::string> differences(const ReadReport& before, const ReadReport& after) {
  std::vector<std::string> found;
  for (size_t i = 0; i < before.likeness.size(); ++i) {
    const auto& [name, value] = before.likeness[i];
    const std::string& other = after.likeness[i].second;
    if (value != other) found.push_back(fmt::format("{}: {} and {}", name, value, other));
  }
  return found;
}

std::vector<Comparison> compare(const ReadReport& before, const ReadReport& after) {
  std::vector<Comparison> all;
  for (const MeasuredRow& row : before.rows) {
    const auto found = std::ranges::find_if(
        after.rows, [&](const MeasuredRow& other) { return same_kind(row, other); });
    for (size_t i = 0; i < row.placements.size(); ++i) {
      if (found != after.rows.end()) {
        all.push_back(compare_placement(row, row.placements[i], found->placements[i]));
      } else {
        all.push_back({.row = row,
                       .placement = row.placements[i].placement,
                       .slower = std::nullopt,
                       .interval = std::nullopt,
                       .why_not = "not in the new report"});
      }
    }
  }
  return all;
}

std::string to_string(const Comparison& comparison) {
  if (!comparison.slower) return fmt::format("not compared ({})", comparison.why_not);
  const double percent = *comparison.slower * 100;
  if (!comparison.interval) {
    return fmt::format("no evidence ({:+.1f} %; {})", percent, comparison.why_not);
  }
  const double low = comparison.interval->low * 100, high = comparison.interval->high * 100;
  if (low <= 0 && high >= 0) {
    return fmt::format("no evidence ({:+.1f} %, 95 % interval {:+.1f} to {:+.1f})", percent, low,
                       high);
  }
  const bool slower = percent > 0;
  return fmt::format("{} by {:.1f} % (95 % interval {:.1f} to {:.1f})",
                     slower ? "slower" : "faster", std::fabs(percent),
                     std::min(std::fabs(low), std::fabs(high)),
                     std::max(std::fabs(low), std::fabs(high)));
}

bool is_slower(const Comparison& comparison, double allowed) {
  return comparison.interval && comparison.interval->low > allowed;
}

}  // namespace slipway::bandwidth
