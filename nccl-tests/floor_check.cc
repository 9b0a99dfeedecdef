// Does a bandwidth reach a floor, given its noise?
#include "nccl-tests/floor_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "common/distributions.h"

namespace slipway::bandwidth {
namespace {

// The mean of runs, with how much single runs differ.
struct RunMean {
  double log = 0;
  double deviation = assumed_run_deviation;  // of a run
  size_t runs = 1;
  double error_within = 0;  // of the only run
  double freedom_within = 0;
};

RunMean mean_of_runs(std::span<const RunLevel> runs) {
  RunMean mean;
  mean.runs = runs.size();
  for (const RunLevel& run : runs) mean.log += run.log_us / static_cast<double>(runs.size());
  if (runs.size() == 1) {
    mean.error_within = runs[0].error;
    mean.freedom_within = runs[0].freedom;
    return mean;
  }
  // The assumed deviation counts like one run, so that two or three that agree by chance do not
  // make the mean look certain.
  double squares = assumed_run_deviation * assumed_run_deviation;
  for (const RunLevel& run : runs) squares += (run.log_us - mean.log) * (run.log_us - mean.log);
  mean.deviation = std::sqrt(squares / static_cast<double>(runs.size()));
  return mean;
}

// How far the mean may be from the truth on one side.
double margin(const RunMean& mean, double confidence) {
  if (mean.runs > 1) {
    const auto n = static_cast<double>(mean.runs);
    return student_quantile(confidence, n) * mean.deviation / std::sqrt(n);
  }
  const double between = normal_quantile(confidence) * mean.deviation;
  const double within = mean.freedom_within > 0
                            ? student_quantile(confidence, mean.freedom_within) * mean.error_within
                            : 0;
  return std::hypot(between, within);
}

std::optional<int> runs_to_tell(const RunMean& mean, double gap, double confidence) {
  const double deviation = std::hypot(mean.deviation, mean.error_within);
  const auto enough = [&](int n) {
    const auto count = static_cast<double>(n);
    return student_quantile(confidence, count) * deviation / std::sqrt(count) < gap;
  };
  int low = static_cast<int>(mean.runs), high = most_useful_runs;
  if (!enough(high)) return std::nullopt;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

FloorCheck check_floor(std::span<const RunLevel> runs, double floor_gb_per_s, size_t checks) {
  const RunMean mean = mean_of_runs(runs);
  const double pass_confidence = 1 - wrong_verdicts;
  const double fail_confidence = 1 - wrong_verdicts / static_cast<double>(checks);
  FloorCheck check;
  check.busbw_gb_per_s = std::exp(mean.log);
  check.low_gb_per_s = std::exp(mean.log - margin(mean, pass_confidence));
  check.high_gb_per_s = std::exp(mean.log + margin(mean, fail_confidence));
  check.floor_gb_per_s = floor_gb_per_s;
  if (check.low_gb_per_s >= floor_gb_per_s) check.reached = Reached::yes;
  if (check.high_gb_per_s < floor_gb_per_s) check.reached = Reached::no;
  if (check.reached != Reached::unclear) return check;
  const double gap = mean.log - std::log(floor_gb_per_s);
  check.runs_needed =
      runs_to_tell(mean, std::fabs(gap), gap > 0 ? pass_confidence : fail_confidence);
  return check;
}

RunLevel bandwidth_level(const RunLevel& level, double median_us, double busbw_gb_per_s) {
  RunLevel result = level;
  result.log_us = std::log(busbw_gb_per_s) + std::log(median_us) - level.log_us;
  return result;
}

std::string to_string(const FloorCheck& check) {
  switch (check.reached) {
    case Reached::yes:
      return fmt::format("reaches {:.2f}: with 95 % confidence it is at least {:.2f}",
                         check.floor_gb_per_s, check.low_gb_per_s);
    case Reached::no:
      return fmt::format("is below {:.2f}: with 95 % confidence it is at most {:.2f}",
                         check.floor_gb_per_s, check.high_gb_per_s);
    case Reached::unclear:
      break;
  }
  return fmt::format("may be above or below {:.2f}: it is between {:.2f} and {:.2f}, and {} tell",
                     check.floor_gb_per_s, check.low_gb_per_s, check.high_gb_per_s,
                     check.runs_needed ? fmt::format("about {} runs would", *check.runs_needed)
                                       : fmt::format("{} runs would not", most_useful_runs));
}

}  // namespace slipway::bandwidth
