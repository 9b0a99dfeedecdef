// What the recorded runs say: which bandwidths are lower than they were, since when, and which
// versions changed then.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/history/run_record.h"

namespace slipway::history {

struct VersionChange {
  std::string name, before, after;  // "driver", "550.90.07", "560.35.03"; empty: unknown
};
// "driver 550.90.07 -> 560.35.03"
std::string text_of(const VersionChange& change);

struct Regression {
  double baseline_gb_per_s = 0;  // the median before it
  double now_gb_per_s = 0;       // the median since it
  size_t since = 0;              // the first slower run
  std::vector<VersionChange> with;
};

// One size in one placement, or all large sizes together.
struct Series {
  int64_t size_bytes = 0;  // 0: the large sizes together, relative to their medians
  std::string what;
  std::vector<size_t> runs = {};  // those that measured it, in order
  std::vector<double> busbw_gb_per_s = {};
  std::optional<Regression> regression = {};
  bool last_is_low = false;  // one slow run says little: it should be repeated
};

// Runs of one collective under the same conditions.
struct Trend {
  std::string cluster, collective, conditions;
  int64_t nodes = 0, ranks = 0;
  std::vector<RunRecord> runs = {};  // in the order in which they were started
  std::vector<Series> series = {};   // the large sizes together first, then by size
};

// The fewest runs of which a regression can be found.
inline constexpr size_t least_runs = 5;

// Only the newest runs of each trend are judged.
inline constexpr size_t most_runs = 150;

// `runs` in the order in which they were started. `least` as in find_steps(): smaller changes are
// ignored. In each trend, equal runs give a regression in about one of twenty histories.
std::vector<Trend> find_trends(const std::vector<RunRecord>& runs, double least);

// Between two runs that follow each other.
std::vector<VersionChange> changed_versions(const RunRecord& before, const RunRecord& after);

bool has_regression(const Trend& trend);

}  // namespace slipway::history
