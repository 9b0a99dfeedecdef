// What bandwidth_compare prints for programs: schema slipway/bandwidth-comparison/1.
#include "nccl-tests/compare_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace slipway::bandwidth {
namespace {

using ComparisonJson = nlohmann::ordered_json;

const char* name_of(Design design) {
  switch (design) {
    case Design::pairs:
      return "pairs";
    case Design::groups:
      return "groups";
    case Design::assumed:
      break;
  }
  return "assumed";
}

const char* name_of_finding(const Comparison& row) {
  if (!row.slower) return "not_compared";
  switch (row.finding) {
    case Difference::faster:
      return "faster";
    case Difference::slower:
      return "slower";
    case Difference::slower_too_much:
      return "slower_too_much";
    case Difference::nothing:
      break;
  }
  return "no_evidence";
}

template <class T>
ComparisonJson value_or_null(const std::optional<T>& value) {
  return value ? ComparisonJson(*value) : ComparisonJson();
}

ComparisonJson text_or_null(const std::string& text) {
  return text.empty() ? ComparisonJson() : ComparisonJson(text);
}

ComparisonJson row_of(const Comparison& one) {
  const bool compared = one.slower.has_value();
  return {{"size_bytes", one.row.size_bytes},
          {"datatype", one.row.datatype},
          {"reduction", text_or_null(one.row.reduction)},
          {"root", value_or_null(one.row.root)},
          {"placement", one.placement == "in place" ? "in_place" : "out_of_place"},
          {"finding", name_of_finding(one)},
          {"slower", value_or_null(one.slower)},
          {"slower_low", one.interval ? ComparisonJson(one.interval->low) : ComparisonJson()},
          {"slower_high", one.interval ? ComparisonJson(one.interval->high) : ComparisonJson()},
          {"p_value", compared ? ComparisonJson(one.p_value) : ComparisonJson()},
          {"detectable", value_or_null(one.detectable)},
          {"drifts", one.drifts},
          {"why_not", text_or_null(one.why_not)}};
}

ComparisonJson names_of(const std::vector<ReadReport>& reports) {
  ComparisonJson names = ComparisonJson::array();
  for (const ReadReport& report : reports) names.push_back(report.name);
  return names;
}

std::string document(const std::string& collective, ComparisonJson comparison,
                     ComparisonJson figures) {
  const ComparisonJson all = {{"schema", "slipway/bandwidth-comparison/1"},
                              {"collective", collective},
                              {"comparison", std::move(comparison)},
                              {"figures", std::move(figures)}};
  // A file's name may be something else than UTF-8.
  return all.dump(2, ' ', false, ComparisonJson::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(const Sides& sides, const ComparedSides& compared, double allowed) {
  ComparisonJson rows = ComparisonJson::array();
  for (const Comparison& row : compared.rows) rows.push_back(row_of(row));
  ComparisonJson comparison = {
      {"old_reports", names_of(sides.before)},
      {"new_reports", names_of(sides.after)},
      {"allowed", allowed},
      {"runs_are", name_of(compared.design)},
      {"slower_rows",
       std::ranges::count(compared.rows, Difference::slower_too_much, &Comparison::finding)},
      {"rows", std::move(rows)},
      {"notes", compared.notes}};
  return document(sides.before.front().collective, std::move(comparison), nullptr);
}

std::string to_json(const std::vector<ReadReport>& reports, const Verdict& verdict) {
  return document(reports.front().collective, nullptr,
                  {{"reports", names_of(reports)},
                   {"outcome", to_string(verdict.outcome)},
                   {"reasons", verdict.reasons}});
}

}  // namespace slipway::bandwidth
