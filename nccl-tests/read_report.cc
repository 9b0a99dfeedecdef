// Reads the reports that the bandwidth tests wrote.
#include "nccl-tests/read_report.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "nccl-tests/report.h"

namespace slipway::bandwidth {
namespace {

using nlohmann::json;

// A report of many sizes with a thousand samples each has megabytes.
constexpr size_t largest_report = 256U << 20;

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Measured read_placement(const json& j, const std::string& name) {
  const json& statistics = j.at("statistics");
  Measured result{.placement = name,
                  .busbw_gb_per_s = j.at("busbw_gb_per_s"),
                  .median_us = statistics.at("median_us"),
                  .samples = statistics.at("samples"),
                  .interval_us = std::nullopt,
                  .drift = statistics.at("drift")};
  if (!statistics.at("median_low_us").is_null()) {
    result.interval_us = Interval{statistics.at("median_low_us"), statistics.at("median_high_us")};
  }
  if (const json& samples = j.at("samples_us"); samples.is_array()) {
    result.samples_us = samples.get<std::vector<double>>();
  }
  return result;
}

MeasuredRow read_row(const json& j) {
  MeasuredRow row{.size_bytes = j.at("size_bytes"),
                  .datatype = j.at("datatype"),
                  .reduction = j.at("reduction").is_null() ? "" : j.at("reduction"),
                  .root = std::nullopt,
                  .placements = {}};
  if (!j.at("root").is_null()) row.root = j.at("root").get<int>();
  row.requested_bytes = j.value("requested_bytes", row.size_bytes);
  row.placements.push_back(read_placement(j.at("out_of_place"), "out of place"));
  row.placements.push_back(read_placement(j.at("in_place"), "in place"));
  return row;
}

ReadReport read(const json& j) {
  if (j.at("schema") != report_schema) {
    throw Error(fmt::format("schema is {}, expected `{}`", j.at("schema").dump(), report_schema));
  }
  ReadReport report;
  report.collective = j.at("collective");
  const json& profile = j.at("node_profile");
  const json& settings = j.at("settings");
  report.likeness = {
      {"collective", report.collective},
      {"backend", j.at("backend")},
      {"memory", j.at("memory")},
      {"transport", text_of(j.at("transport"))},
      {"machine type", profile.is_null() ? "none" : text_of(profile.at("machine_type"))},
      {"number of nodes", text_of(j.at("node_count"))},
      {"number of ranks", text_of(j.at("rank_count"))},
      {"timing", settings.at("timing")},
      {"average", settings.at("average")},
      {"iterations of a sample", text_of(settings.at("iterations"))},
      {"operations of an iteration", text_of(settings.at("operations_per_iteration"))},
  };
  for (const json& point : j.at("expected")) {
    report.expected.push_back({point.at("size_bytes"), point.at("busbw_gb_per_s"),
                               point.at("tolerance"), point.at("source")});
  }
  report.verdict = j.at("verdict").at("outcome");
  const json& reasons = j.at("verdict").at("reasons");
  if (!reasons.empty()) report.verdict_reason = reasons.front();
  const json judged = j.at("verdict").value("judged", json::array());
  report.failed_by_figure = report.verdict == "fail" && !judged.empty();
  report.started_utc = j.at("started_utc");
  for (const json& row : j.at("results")) report.rows.push_back(read_row(row));
  return report;
}

}  // namespace

ReadReport read_report(const std::filesystem::path& path) {
  const std::string text = read_regular_file(path, largest_report);
  try {
    ReadReport report = read(json::parse(text));
    report.name = path.string();
    return report;
  } catch (const std::exception& error) {  // nlohmann's exceptions, and Error
    throw Error(fmt::format("{} is not a bandwidth report: {}", path.string(), error.what()));
  }
}

}  // namespace slipway::bandwidth
