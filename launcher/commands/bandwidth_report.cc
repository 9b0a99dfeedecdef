// `slipway bandwidth history`: the table and the JSON.
#include "launcher/commands/bandwidth_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/count.h"
#include "common/text.h"

namespace slipway::commands {
namespace {

using history::Regression;
using history::Series;
using history::Trend;
using nlohmann::ordered_json;

double percent(const Regression& found) {
  return 100 * (found.now_gb_per_s / found.baseline_gb_per_s - 1);
}

std::string changes_text(const Regression& found) {
  std::vector<std::string> texts;
  for (const auto& change : found.with) texts.push_back(history::text_of(change));
  return texts.empty() ? "no known change" : join(texts, ", ");
}

std::string regression_table(const Trend& trend, const Paint& paint) {
  std::string table = paint.dim(fmt::format("  {:<36} {:>8} {:>8} {:>8}  {:<16}  {}\n", "", "GB/s",
                                            "now", "change", "since", "with"));
  for (const Series& series : trend.series) {
    if (!series.regression) continue;
    const Regression& found = *series.regression;
    table +=
        fmt::format("  {} {:>8.2f} {:>8.2f} {:>6.1f} %  {:<16}  {}\n", padded(name_of(series), 36),
                    found.baseline_gb_per_s, found.now_gb_per_s, percent(found),
                    minute_text(trend.runs[found.since].started), changes_text(found));
  }
  return table;
}

std::string low_text(const Trend& trend) {
  const auto low =
      std::ranges::count_if(trend.series, [](const Series& series) { return series.last_is_low; });
  if (low == 0) return "";
  return fmt::format("  the newest run alone is lower in {} of {}: repeat it\n", low,
                     counted(trend.series.size(), "row"));
}

ordered_json series_json(const Trend& trend, const Series& series) {
  ordered_json runs = ordered_json::array(), regression;
  for (const size_t run : series.runs) runs.push_back(run);
  if (series.regression) {
    const Regression& found = *series.regression;
    ordered_json with = ordered_json::array();
    for (const auto& change : found.with)
      with.push_back({{"name", change.name}, {"before", change.before}, {"after", change.after}});
    regression = {{"baseline_gb_per_s", found.baseline_gb_per_s},
                  {"now_gb_per_s", found.now_gb_per_s},
                  {"since_run", found.since},
                  {"since_utc", trend.runs[found.since].started},
                  {"changed_versions", std::move(with)}};
  }
  return {{"size_bytes", series.size_bytes == 0 ? ordered_json() : ordered_json(series.size_bytes)},
          {"what", series.what},
          {"runs", std::move(runs)},
          {"busbw_gb_per_s", series.busbw_gb_per_s},
          {"regression", std::move(regression)},
          {"last_run_is_low", series.last_is_low}};
}

ordered_json trend_json(const Trend& trend) {
  ordered_json runs = ordered_json::array(), series = ordered_json::array();
  for (const auto& run : trend.runs)
    runs.push_back({{"id", run.id}, {"started_utc", run.started}, {"versions", run.versions}});
  for (const Series& one : trend.series) series.push_back(series_json(trend, one));
  return {{"cluster", trend.cluster},       {"collective", trend.collective},
          {"node_count", trend.nodes},      {"rank_count", trend.ranks},
          {"conditions", trend.conditions}, {"runs", std::move(runs)},
          {"series", std::move(series)}};
}

}  // namespace

std::string minute_text(const std::string& started) {
  std::string text = started.substr(0, 16);
  if (text.size() > 10) text[10] = ' ';
  return text;
}

std::string size_text(int64_t bytes) {
  constexpr std::pair<int64_t, const char*> units[] = {
      {int64_t{1} << 40, "TiB"}, {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}};
  for (const auto& [unit, name] : units) {
    if (bytes >= unit)
      return fmt::format("{:.4g} {}", static_cast<double>(bytes) / static_cast<double>(unit), name);
  }
  return fmt::format("{} B", bytes);
}

std::string title_of(const Trend& trend) {
  return fmt::format("{} on {} of {}", trend.collective, counted(trend.nodes, "node"),
                     trend.cluster);
}

std::string name_of(const Series& series) {
  return series.size_bytes == 0 ? series.what
                                : fmt::format("{}, {}", size_text(series.size_bytes), series.what);
}

std::string trends_text(const std::vector<Trend>& trends, const Paint& paint) {
  if (trends.empty()) return "no runs\n";
  std::string text;
  for (const Trend& trend : trends) {
    if (!text.empty()) text += "\n";
    text += paint.bold(title_of(trend)) +
            fmt::format(", {}, {}\n", counted(trend.ranks, "rank"), trend.conditions);
    text += fmt::format("  {} from {} to {}\n", counted(trend.runs.size(), "run"),
                        minute_text(trend.runs.front().started),
                        minute_text(trend.runs.back().started));
    if (has_regression(trend)) {
      text += regression_table(trend, paint);
    } else if (trend.runs.size() < history::least_runs) {
      text += fmt::format("  too few runs to judge: {} are needed\n", history::least_runs);
    } else {
      text += paint.green("  no regression") + " that stands out from the noise\n";
    }
    text += low_text(trend);
  }
  return text;
}

std::string trends_json(const std::vector<Trend>& trends) {
  ordered_json list = ordered_json::array();
  for (const Trend& trend : trends) list.push_back(trend_json(trend));
  const ordered_json all = {{"schema", "slipway/bandwidth-history/1"}, {"trends", std::move(list)}};
  return all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace slipway::commands
