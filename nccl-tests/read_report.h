// Reads the reports that the bandwidth tests wrote, for bandwidth_compare and bandwidth_plot.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "nccl-tests/statistics.h"

namespace slipway::bandwidth {

// One placement of one row.
struct Measured {
  std::string placement;  // "out of place"
  double busbw_gb_per_s = 0;
  double median_us = 0;
  int64_t samples = 0;
  std::optional<Interval> interval_us;  // of the median
  bool drift = false;
  std::vector<double> samples_us = {};  // in order; empty if the report leaves them out
};

struct MeasuredRow {
  int64_t size_bytes = 0;
  std::string datatype;
  std::string reduction;  // empty if nothing is reduced
  std::optional<int> root;
  std::vector<Measured> placements;
  int64_t requested_bytes = 0;  // before rounding
};

struct ExpectedPoint {
  int64_t size_bytes = 0;  // from which on it holds
  double busbw_gb_per_s = 0;
  double tolerance = 0;
  std::string source = {};
};

// A report. Two reports can be compared if all values of `likeness` are equal.
struct ReadReport {
  std::string name;  // of the file, for messages
  std::string collective;
  std::vector<std::pair<std::string, std::string>> likeness;
  std::vector<MeasuredRow> rows;
  std::vector<ExpectedPoint> expected;
  std::string verdict;              // "pass", "fail", "too noisy to say" or "not judged"
  std::string verdict_reason = {};  // the first one
  bool failed_by_figure = false;    // the verdict compared it with an expected figure
  std::string started_utc = {};     // "2026-11-21T08:15:29Z"
};

// Throws Error with the path if it cannot be read or is not a slipway/bandwidth/1 report.
ReadReport read_report(const std::filesystem::path& path);

}  // namespace slipway::bandwidth
