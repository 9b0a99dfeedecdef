// What the recorded runs say.
#include "launcher/history/trend.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "common/median.h"
#include "launcher/history/changes.h"

namespace slipway::history {
namespace {

// The chance of a false regression in a trend. One half is for the large sizes together, the other
// for the sizes one by one.
constexpr double level = 0.05;
// Sizes from this share of the largest on show bandwidth, smaller ones latency.
constexpr int64_t large_share = 16;

// The regression that is left after all steps: the newest values against the best that there was.
std::optional<Regression> regression_of(const Series& series, const std::vector<Step>& steps,
                                        double least) {
  if (steps.empty()) return std::nullopt;
  std::vector<size_t> begins = {0};
  for (const Step& step : steps) begins.push_back(step.at);
  std::vector<double> medians;
  for (size_t i = 0; i < begins.size(); ++i) {
    const size_t end = i + 1 < begins.size() ? begins[i + 1] : series.busbw_gb_per_s.size();
    const auto at = series.busbw_gb_per_s.begin();
    medians.push_back(median(
        {at + static_cast<std::ptrdiff_t>(begins[i]), at + static_cast<std::ptrdiff_t>(end)}));
  }
  const auto best = std::ranges::max_element(medians);
  if (medians.back() > *best * (1 - least)) return std::nullopt;
  const auto first_low = static_cast<size_t>(best - medians.begin()) + 1;
  return Regression{.baseline_gb_per_s = *best,
                    .now_gb_per_s = medians.back(),
                    .since = series.runs[begins[first_low]],
                    .with = {}};
}

void judge(Series& series, const std::vector<RunRecord>& runs, double least, double own_level) {
  const std::vector<double>& values = series.busbw_gb_per_s;
  series.regression = regression_of(series, find_steps(values, least, own_level), least);
  if (!series.regression) {
    series.last_is_low = is_last_low(values, least, own_level);
    return;
  }
  // The run before it in this series may not be the one before it in time.
  const auto place = std::ranges::find(series.runs, series.regression->since);
  series.regression->with = changed_versions(runs[*std::prev(place)], runs[*place]);
}

std::vector<Series> series_of(const std::vector<RunRecord>& runs) {
  std::map<std::pair<int64_t, std::string>, Series> all;
  for (size_t i = 0; i < runs.size(); ++i) {
    for (const Figure& figure : runs[i].figures) {
      Series& series = all[{figure.size_bytes, figure.what}];
      if (!series.runs.empty() && series.runs.back() == i) continue;  // the size was in it twice
      series.size_bytes = figure.size_bytes;
      series.what = figure.what;
      series.runs.push_back(i);
      series.busbw_gb_per_s.push_back(figure.busbw_gb_per_s);
    }
  }
  std::vector<Series> list;
  for (auto& [key, series] : all) list.push_back(std::move(series));
  return list;
}

// For each run the median of its large sizes, each relative to the size's median over all runs.
Series large_sizes(const std::vector<Series>& all, size_t runs) {
  Series together{.size_bytes = 0, .what = "large sizes together"};
  int64_t largest = 0;
  for (const Series& series : all) largest = std::max(largest, series.size_bytes);
  std::vector<std::vector<double>> relative(runs);
  std::vector<double> medians;
  for (const Series& series : all) {
    if (series.size_bytes * large_share < largest || series.runs.size() < least_runs) continue;
    const double middle = median(series.busbw_gb_per_s);
    medians.push_back(middle);
    for (size_t i = 0; i < series.runs.size(); ++i)
      relative[series.runs[i]].push_back(series.busbw_gb_per_s[i] / middle);
  }
  for (size_t run = 0; run < runs; ++run) {
    if (relative[run].empty()) continue;
    together.runs.push_back(run);
    together.busbw_gb_per_s.push_back(median(relative[run]) * median(medians));
  }
  return together;
}

Trend trend_of(std::vector<RunRecord> runs, double least) {
  if (runs.size() > most_runs) runs.erase(runs.begin(), runs.end() - most_runs);
  const RunRecord& first = runs.front();
  Trend trend{.cluster = first.cluster,
              .collective = first.collective,
              .conditions = first.conditions,
              .nodes = first.nodes,
              .ranks = first.ranks};
  std::vector<Series> sizes = series_of(runs);
  Series together = large_sizes(sizes, runs.size());
  judge(together, runs, least, level / 2);
  if (sizes.size() > 1) trend.series.push_back(std::move(together));
  for (Series& series : sizes) {
    judge(series, runs, least, level / 2 / static_cast<double>(sizes.size()));
    trend.series.push_back(std::move(series));
  }
  trend.runs = std::move(runs);
  return trend;
}

}  // namespace

std::string text_of(const VersionChange& change) {
  const auto known = [](const std::string& version) { return version.empty() ? "?" : version; };
  return fmt::format("{} {} -> {}", change.name, known(change.before), known(change.after));
}

std::vector<VersionChange> changed_versions(const RunRecord& before, const RunRecord& after) {
  std::set<std::string> names;
  for (const auto& [name, version] : before.versions) names.insert(name);
  for (const auto& [name, version] : after.versions) names.insert(name);
  std::vector<VersionChange> changes;
  for (const std::string& name : names) {
    const auto version_in = [&](const RunRecord& run) {
      const auto found = run.versions.find(name);
      return found == run.versions.end() ? "" : found->second;
    };
    VersionChange change{name, version_in(before), version_in(after)};
    if (change.before != change.after) changes.push_back(std::move(change));
  }
  return changes;
}

std::vector<Trend> find_trends(const std::vector<RunRecord>& runs, double least) {
  std::map<std::tuple<std::string, std::string, int64_t, int64_t, std::string>,
           std::vector<RunRecord>>
      groups;
  for (const RunRecord& run : runs) {
    groups[{run.cluster, run.collective, run.nodes, run.ranks, run.conditions}].push_back(run);
  }
  std::vector<Trend> trends;
  for (auto& [key, members] : groups) trends.push_back(trend_of(std::move(members), least));
  return trends;
}

bool has_regression(const Trend& trend) {
  return std::ranges::any_of(trend.series,
                             [](const Series& series) { return series.regression.has_value(); });
}

}  // namespace slipway::history
