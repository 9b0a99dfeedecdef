// Compares two sides, each of one or several reports.
#include "nccl-tests/compare.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "common/count.h"
#include "nccl-tests/compare_tests.h"

namespace slipway::bandwidth {
namespace {

bool same_kind(const MeasuredRow& a, const MeasuredRow& b) {
  return a.size_bytes == b.size_bytes && a.datatype == b.datatype && a.reduction == b.reduction &&
         a.root == b.root;
}

const Measured* find_placement(const ReadReport& report, const MeasuredRow& row, size_t placement) {
  const auto found = std::ranges::find_if(
      report.rows, [&](const MeasuredRow& other) { return same_kind(row, other); });
  return found == report.rows.end() ? nullptr : &found->placements[placement];
}

// The levels of one row in all reports of a side. Sets `why_not` of the result if one lacks it.
std::vector<RunLevel> levels_of(const std::vector<ReadReport>& side, std::string_view name,
                                size_t placement, Comparison& result) {
  std::vector<RunLevel> levels;
  for (const ReadReport& report : side) {
    const Measured* measured = find_placement(report, result.row, placement);
    if (measured == nullptr) {
      result.why_not =
          fmt::format("not in {}", side.size() == 1 ? fmt::format("the {} report", name)
                                                    : fmt::format("all {} reports", name));
      return {};
    }
    if (measured->median_us <= 0) {
      result.why_not = "no time was measured";
      return {};
    }
    result.drifts = result.drifts || measured->drift;
    levels.push_back(level_of(*measured));
  }
  return levels;
}

std::vector<Comparison> all_rows(const ReadReport& first) {
  std::vector<Comparison> rows;
  for (const MeasuredRow& row : first.rows) {
    for (const Measured& placement : row.placements) {
      Comparison& one = rows.emplace_back();
      one.row = row;
      one.placement = placement.placement;
    }
  }
  return rows;
}

Design design_of(const Sides& sides) {
  const size_t before = sides.before.size(), after = sides.after.size();
  if (sides.paired)
    return before > 1 && least_paired_p(before) <= false_alarms ? Design::pairs : Design::assumed;
  const bool enough = before > 1 && after > 1 && least_group_p(before, after) <= false_alarms;
  return enough ? Design::groups : Design::assumed;
}

void take(Comparison& row, const RowResult& result) {
  row.slower = std::exp(result.log_ratio) - 1;
  row.interval = Interval{std::exp(result.low) - 1, std::exp(result.high) - 1};
  row.detectable = std::exp(result.detectable) - 1;
  row.finding = Difference::nothing;
  if (result.p_faster <= false_alarms) {
    row.finding = Difference::faster;
    row.p_value = result.p_faster;
  } else if (result.p_slower_too_much <= false_alarms) {
    row.finding = Difference::slower_too_much;
    row.p_value = result.p_slower_too_much;
  } else {
    if (result.p_slower <= false_alarms) row.finding = Difference::slower;
    row.p_value = result.p_slower;
  }
}

std::vector<std::string> notes_on(const Sides& sides, Design design, const ComparedSides& compared,
                                  bool in_turn) {
  std::vector<std::string> notes;
  if (design == Design::assumed) {
    notes.push_back(fmt::format(
        "{} a side cannot show how much equal runs differ, so a standard deviation of {:g} % is "
        "assumed; --run measures in pairs",
        counted(std::min(sides.before.size(), sides.after.size()), "run"),
        assumed_run_deviation * 100));
  }
  if (!in_turn && sides.before.size() + sides.after.size() > 2) {
    notes.push_back(
        "the runs of the two sides did not alternate, so whatever else changed in time looks like "
        "a "
        "difference; --run measures in pairs");
  }
  const auto drifting = std::ranges::count_if(compared.rows, &Comparison::drifts);
  if (drifting > 0) {
    notes.push_back(
        fmt::format("{} within a run: its times rise or fall; warm up longer with -w",
                    drifting == 1 ? "1 row drifts" : fmt::format("{} rows drift", drifting)));
  }
  return notes;
}

}  // namespace

bool ComparedSides::any_slower_too_much() const {
  return std::ranges::any_of(
      rows, [](const Comparison& row) { return row.finding == Difference::slower_too_much; });
}

std::vector<std::string> differences(const ReadReport& before, const ReadReport& after) {
  std::vector<std::string> found;
  for (size_t i = 0; i < before.likeness.size(); ++i) {
    const auto& [name, value] = before.likeness[i];
    const std::string& other = after.likeness[i].second;
    if (value != other) found.push_back(fmt::format("{}: {} and {}", name, value, other));
  }
  return found;
}

ComparedSides compare(const Sides& sides, double allowed) {
  ComparedSides compared;
  compared.design = design_of(sides);
  compared.rows = all_rows(sides.before.front());
  std::vector<size_t> indices;
  std::vector<RowLevels> table;
  for (size_t i = 0; i < compared.rows.size(); ++i) {
    Comparison& row = compared.rows[i];
    const size_t placement = row.placement == row.row.placements[0].placement ? 0 : 1;
    RowLevels levels{levels_of(sides.before, "old", placement, row), {}};
    if (row.why_not.empty()) levels.after = levels_of(sides.after, "new", placement, row);
    if (!row.why_not.empty()) continue;
    indices.push_back(i);
    table.push_back(std::move(levels));
  }
  const RunTimes times = times_of(sides);
  if (!table.empty()) {
    const auto results = test_rows(table, compared.design, times, std::log1p(allowed));
    for (size_t i = 0; i < indices.size(); ++i) take(compared.rows[indices[i]], results[i]);
  }
  compared.notes = notes_on(sides, compared.design, compared, times.in_turn);
  return compared;
}

std::string to_string(const Comparison& comparison) {
  if (!comparison.slower) return fmt::format("not compared ({})", comparison.why_not);
  const double percent = *comparison.slower * 100;
  const std::string evidence =
      fmt::format("95 % interval {:+.1f} to {:+.1f}, p {:.3f}", comparison.interval->low * 100,
                  comparison.interval->high * 100, comparison.p_value);
  switch (comparison.finding) {
    case Difference::faster:
      return fmt::format("faster by {:.1f} % ({})", -percent, evidence);
    case Difference::slower:
      return fmt::format("slower by {:.1f} %, perhaps no more than allowed ({})", percent,
                         evidence);
    case Difference::slower_too_much:
      return fmt::format("slower by {:.1f} % ({})", percent, evidence);
    case Difference::nothing:
      break;
  }
  return fmt::format("no evidence ({:+.1f} %, {})", percent, evidence);
}

std::string power_of(const ComparedSides& compared) {
  double least = INFINITY, most = 0;
  for (const Comparison& row : compared.rows) {
    if (!row.detectable) continue;
    least = std::min(least, *row.detectable);
    most = std::max(most, *row.detectable);
  }
  if (most <= 0) return "";
  constexpr double large = 10;
  if (least > large) return "these runs are so noisy that they would not have shown a tenfold time";
  return fmt::format(
      "these runs would have shown, with 80 %, what is slower by {:.1f} %{}", least * 100,
      most > large
          ? ", but in the noisiest row not even a tenfold time"
          : fmt::format(" in the quietest row, and by {:.1f} % in the noisiest", most * 100));
}

}  // namespace slipway::bandwidth
