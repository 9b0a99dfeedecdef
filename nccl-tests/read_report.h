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
};

struct MeasuredRow {
  int64_t size_bytes = 0;
  std::string datatype;
  std::string reduction;  // empty if nothing is reduced
  std::optional<int> root;
  std::vector<Measured> placements;
};

struct ExpectedPoint {
  int64_t size_bytes = 0;
  double busbw_gb_per_s = 0;
};

// A report. Two reports can be compared if all values of `likeness` are equal.
struct ReadReport {
  std::string name;  // of the file, for messages
  std::string collective;
  std::vector<std::pair<std::string, std::string>> likeness;
  std::vector<MeasuredRow> rows;
  std::vector<ExpectedPoint> expected;
  std::string verdict;  // "pass", "fail" or "not judged"
};

// Throws Error with the path if it cannot be read or is not a slipway/bandwidth/1 report.
ReadReport read_report(const std::filesystem::path& path);

}  // namespace slipway::bandwidth
