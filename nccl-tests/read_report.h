// Reading reports back: what compare and plot need of them.
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
  std::string reduction;  // "" without one
  std::optional<int> root;
  std::vector<Measured> placements;
};

struct ExpectedPoint {
  int64_t size_bytes = 0;
  double busbw_gb_per_s = 0;
};

// A report as it was read. `likeness` is what two reports must share to be compared, by name.
struct ReadReport {
  std::string name;  // of the file, for messages
  std::string collective;
  std::vector<std::pair<std::string, std::string>> likeness;
  std::vector<MeasuredRow> rows;
  std::vector<ExpectedPoint> expected;
};

// Throws Error with the path when it cannot be read or is no report of slipway/bandwidth/1.
ReadReport read_report(const std::filesystem::path& path);

}  // namespace slipway::bandwidth
