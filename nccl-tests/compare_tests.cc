// The statistics of a comparison, row by row.
#include "nccl-tests/compare_tests.h"

#include <algorithm>
#include <cmath>

#include "common/distributions.h"
#include "nccl-tests/holm.h"

namespace slipway::bandwidth {
namespace {

constexpr double two_sided = 0.975;

std::vector<double> logs_of(const std::vector<RunLevel>& levels) {
  std::vector<double> logs;
  for (const RunLevel& level : levels) logs.push_back(level.log_us);
  return logs;
}

RowResult from_mean(const MeanError& found) {
  const double half = student_quantile(two_sided, found.freedom) * found.error;
  RowResult result;
  result.log_ratio = found.mean;
  result.low = found.mean - half;
  result.high = found.mean + half;
  return result;
}

LogTable negative(LogTable table) {
  for (std::vector<double>& row : table) {
    for (double& value : row) value = -value;
  }
  return table;
}

std::vector<RowResult> test_pairs(const std::vector<RowLevels>& rows, double allowed) {
  LogTable differences;
  for (const RowLevels& row : rows) {
    std::vector<double>& of_row = differences.emplace_back();
    for (size_t i = 0; i < row.before.size(); ++i)
      of_row.push_back(row.after[i].log_us - row.before[i].log_us);
  }
  const auto too_much = paired_p_values(differences, allowed);
  const auto slower = paired_p_values(differences, 0);
  const auto faster = paired_p_values(negative(differences), 0);
  const double critical = paired_critical(differences, false_alarms);
  std::vector<RowResult> results;
  for (size_t i = 0; i < rows.size(); ++i) {
    const MeanError found = paired_mean(differences[i]);
    RowResult& result = results.emplace_back(from_mean(found));
    result.p_slower_too_much = too_much[i];
    result.p_slower = slower[i];
    result.p_faster = faster[i];
    result.detectable = allowed + needed_errors(critical, found.freedom) * found.error;
  }
  return results;
}

// The p-value of "the second side is above the first by more than `shift`" when time is a cause of
// its own: least squares of the levels on side and time. Where one side is earlier than the other,
// most of a difference may be a drift, and the p-value is large.
double p_beside_drift(const RowLevels& row, const RunTimes& times, double shift) {
  std::vector<double> y = logs_of(row.before), side(row.before.size(), 0), time = times.before;
  for (const RunLevel& level : row.after) {
    y.push_back(level.log_us - shift);
    side.push_back(1);
  }
  time.insert(time.end(), times.after.begin(), times.after.end());
  const auto n = static_cast<double>(y.size());
  if (n < 4) return 1;
  const auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0, of_a = 0, of_b = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      sum += a[i] * b[i];
      of_a += a[i];
      of_b += b[i];
    }
    return sum - of_a * of_b / n;
  };
  const double tt = product(time, time), ss = product(side, side), st = product(side, time);
  const double sy = product(side, y), ty = product(time, y), determinant = ss * tt - st * st;
  if (determinant <= 1e-12 * ss * tt) return 1;
  const double by_side = (sy * tt - ty * st) / determinant;
  const double by_time = (ty * ss - sy * st) / determinant;
  const double left = std::max(product(y, y) - by_side * sy - by_time * ty, 0.0);
  const double error = std::sqrt(left / (n - 3) * tt / determinant);
  return 1 - student_cdf(by_side / std::max(error, 1e-4), n - 3);
}

// Raises the p-values of runs that did not alternate to those beside a drift.
void heed_drift(const std::vector<RowLevels>& rows, const RunTimes& times, double allowed,
                std::vector<RowResult>& results) {
  const RunTimes turned_times{times.after, times.before};
  std::vector<double> too_much, slower, faster;
  for (const RowLevels& row : rows) {
    too_much.push_back(p_beside_drift(row, times, allowed));
    slower.push_back(p_beside_drift(row, times, 0));
    faster.push_back(p_beside_drift({row.after, row.before}, turned_times, 0));
  }
  too_much = holm(too_much);
  slower = holm(slower);
  faster = holm(faster);
  for (size_t i = 0; i < rows.size(); ++i) {
    RowResult& result = results[i];
    result.p_slower_too_much = std::max(result.p_slower_too_much, too_much[i]);
    result.p_slower = std::max(result.p_slower, slower[i]);
    result.p_faster = std::max(result.p_faster, faster[i]);
  }
}

std::vector<RowResult> test_groups(const std::vector<RowLevels>& rows, const RunTimes& times,
                                   double allowed) {
  LogTable before, after;
  for (const RowLevels& row : rows) {
    before.push_back(logs_of(row.before));
    after.push_back(logs_of(row.after));
  }
  const auto too_much = group_p_values(before, after, allowed);
  const auto slower = group_p_values(before, after, 0);
  const auto faster = group_p_values(after, before, 0);
  const double critical = group_critical(before, after, false_alarms);
  std::vector<RowResult> results;
  for (size_t i = 0; i < rows.size(); ++i) {
    const MeanError found = difference_of_means(before[i], after[i]);
    RowResult& result = results.emplace_back(from_mean(found));
    result.p_slower_too_much = too_much[i];
    result.p_slower = slower[i];
    result.p_faster = faster[i];
    result.detectable = allowed + needed_errors(critical, found.freedom) * found.error;
  }
  if (!times.in_turn) heed_drift(rows, times, allowed, results);
  return results;
}

// The noise of one row's difference of means where runs are too few to show how they differ: they
// are assumed to differ by assumed_run_deviation, or by the deviation of single samples or of these
// runs if that is more. Its degrees of freedom are those of a guess from five runs: where one run
// in ten takes a path that is 20 % slower, nothing in a single run tells.
struct AssumedNoise {
  double error = 0;
  double freedom = 0;
};

AssumedNoise assumed_noise(const RowLevels& row) {
  constexpr double freedom_of_guess = 4;
  double deviation = assumed_run_deviation, within = 0, within_lower = 0, parts = 0;
  for (const std::vector<RunLevel>* side : {&row.before, &row.after}) {
    const auto n = static_cast<double>(side->size());
    parts += 1 / n;
    double mean = 0, squares = 0;
    for (const RunLevel& level : *side) mean += level.log_us / n;
    for (const RunLevel& level : *side) {
      deviation = std::max(deviation, level.deviation);
      squares += (level.log_us - mean) * (level.log_us - mean);
      const double part = level.error * level.error / (n * n);
      within += part;
      if (level.freedom > 0) within_lower += part * part / level.freedom;
    }
    if (side->size() > 1) deviation = std::max(deviation, std::sqrt(squares / (n - 1)));
  }
  const double between = deviation * deviation * parts;
  const double variance = between + within;
  return {std::sqrt(variance),
          variance * variance / (between * between / freedom_of_guess + within_lower)};
}

std::vector<RowResult> test_assumed(const std::vector<RowLevels>& rows, double allowed) {
  std::vector<RowResult> results;
  std::vector<double> too_much, slower, faster;
  for (const RowLevels& row : rows) {
    double ratio = 0;
    for (const RunLevel& level : row.after)
      ratio += level.log_us / static_cast<double>(row.after.size());
    for (const RunLevel& level : row.before)
      ratio -= level.log_us / static_cast<double>(row.before.size());
    const AssumedNoise noise = assumed_noise(row);
    RowResult& result = results.emplace_back(from_mean({ratio, noise.error, noise.freedom}));
    const auto p_above = [&](double value) {
      return 1 - student_cdf(value / noise.error, noise.freedom);
    };
    too_much.push_back(p_above(ratio - allowed));
    slower.push_back(p_above(ratio));
    faster.push_back(p_above(-ratio));
    const double each = false_alarms / static_cast<double>(rows.size());
    result.detectable =
        allowed +
        needed_errors(student_quantile(1 - each, noise.freedom), noise.freedom) * noise.error;
  }
  too_much = holm(too_much);
  slower = holm(slower);
  faster = holm(faster);
  for (size_t i = 0; i < rows.size(); ++i) {
    results[i].p_slower_too_much = too_much[i];
    results[i].p_slower = slower[i];
    results[i].p_faster = faster[i];
  }
  return results;
}

}  // namespace

RunLevel level_of(const Measured& measured) {
  if (!measured.samples_us.empty()) return run_level(measured.samples_us);
  RunLevel level;
  level.log_us = std::log(measured.median_us);
  if (const auto& interval = measured.interval_us; interval && interval->low > 0) {
    level.error = std::log(interval->high / interval->low) / (2 * normal_quantile(two_sided));
    level.deviation = level.error * std::sqrt(static_cast<double>(measured.samples));
    level.freedom = static_cast<double>(measured.samples - 1);
  }
  return level;
}

RunTimes times_of(const Sides& sides) {
  struct Run {
    std::string started_utc;
    double* place;
  };
  RunTimes times{std::vector<double>(sides.before.size()), std::vector<double>(sides.after.size())};
  std::vector<Run> runs;
  for (size_t i = 0; i < sides.before.size(); ++i)
    runs.push_back({sides.before[i].started_utc, &times.before[i]});
  for (size_t i = 0; i < sides.after.size(); ++i)
    runs.push_back({sides.after[i].started_utc, &times.after[i]});
  std::ranges::stable_sort(runs, {}, &Run::started_utc);
  for (size_t i = 0; i < runs.size(); ++i) *runs[i].place = static_cast<double>(i);

  double before = 0, after = 0;
  for (const double place : times.before)
    before += place / static_cast<double>(times.before.size());
  for (const double place : times.after) after += place / static_cast<double>(times.after.size());
  // In turn, the middles of both sides are a place or so apart; one side after the other, half of
  // all.
  times.in_turn = sides.paired || std::fabs(before - after) <= static_cast<double>(runs.size()) / 6;
  return times;
}

std::vector<RowResult> test_rows(const std::vector<RowLevels>& rows, Design design,
                                 const RunTimes& times, double allowed) {
  switch (design) {
    case Design::pairs:
      return test_pairs(rows, allowed);
    case Design::groups:
      return test_groups(rows, times, allowed);
    case Design::assumed:
      break;
  }
  return test_assumed(rows, allowed);
}

double needed_errors(double critical, double freedom) {
  const double power = normal_quantile(wanted_power);
  return critical * (1 - 1 / (4 * freedom)) +
         power * std::sqrt(1 + critical * critical / (2 * freedom));
}

}  // namespace slipway::bandwidth
