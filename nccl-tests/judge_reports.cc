// Judges several reports of one test together.
#include "nccl-tests/judge_reports.h"

#include <algorithm>

#include <fmt/core.h>

#include "nccl-tests/compare_tests.h"

namespace slipway::bandwidth {
namespace {

struct ReportTask {
  const MeasuredRow* row;
  size_t placement;
  const ExpectedPoint* expected;
};

std::vector<ReportTask> report_tasks(const ReadReport& report) {
  std::vector<RunSize> sizes;
  std::vector<int64_t> from;
  for (const MeasuredRow& row : report.rows) {
    sizes.push_back({fmt::format("{} {} {}", row.datatype, row.reduction, row.root.value_or(-1)),
                     std::max(row.requested_bytes, row.size_bytes)});
  }
  for (const ExpectedPoint& point : report.expected) from.push_back(point.size_bytes);
  const auto by = judged_by(sizes, from);
  std::vector<ReportTask> tasks;
  for (size_t i = 0; i < report.rows.size(); ++i) {
    if (!by[i]) continue;
    for (size_t placement = 0; placement < report.rows[i].placements.size(); ++placement)
      tasks.push_back({&report.rows[i], placement, &report.expected[*by[i]]});
  }
  return tasks;
}

// The bandwidth's level in every report that has the row.
std::vector<RunLevel> bandwidths(const std::vector<ReadReport>& reports, const ReportTask& task) {
  std::vector<RunLevel> levels;
  for (const ReadReport& report : reports) {
    for (const MeasuredRow& row : report.rows) {
      const Measured& measured = row.placements[task.placement];
      const bool same = row.size_bytes == task.row->size_bytes &&
                        row.datatype == task.row->datatype &&
                        row.reduction == task.row->reduction && row.root == task.row->root;
      if (!same || measured.median_us <= 0 || measured.busbw_gb_per_s <= 0) continue;
      levels.push_back(
          bandwidth_level(level_of(measured), measured.median_us, measured.busbw_gb_per_s));
    }
  }
  return levels;
}

// A failure that more runs cannot undo: wrong data, or sockets where another transport belongs.
const ReadReport* failed_otherwise(const std::vector<ReadReport>& reports) {
  const auto found = std::ranges::find_if(reports, [](const ReadReport& report) {
    return report.verdict == "fail" && !report.failed_by_figure;
  });
  return found == reports.end() ? nullptr : &*found;
}

}  // namespace

Verdict judge_reports(const std::vector<ReadReport>& reports) {
  if (const ReadReport* failed = failed_otherwise(reports)) {
    return {Outcome::fail, {fmt::format("{}: {}", failed->name, failed->verdict_reason)}, {}};
  }
  const ReadReport& first = reports.front();
  for (const ReadReport& report : reports) {
    if (report.verdict == "not judged")
      return {Outcome::not_judged, {fmt::format("{}: {}", report.name, report.verdict_reason)}, {}};
  }
  Verdict verdict;
  const std::vector<ReportTask> tasks = report_tasks(first);
  for (const ReportTask& task : tasks) {
    const auto levels = bandwidths(reports, task);
    const double floor = task.expected->busbw_gb_per_s * (1 - task.expected->tolerance);
    FloorCheck check{.floor_gb_per_s = floor, .reached = Reached::no};
    if (!levels.empty()) check = check_floor(levels, floor, tasks.size());
    verdict.judged.push_back(
        {task.row->size_bytes, task.row->placements[task.placement].placement, check});
    verdict.reasons.push_back(reason_of(verdict.judged.back(), task.expected->busbw_gb_per_s,
                                        task.expected->tolerance, task.expected->source));
  }
  verdict.outcome = outcome_of(verdict.judged);
  if (verdict.judged.empty()) verdict.reasons = {"no report has an expected figure"};
  return verdict;
}

}  // namespace slipway::bandwidth
