// The verdict: did the run reach the bandwidth that this machine type is known to reach?
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nccl-tests/figures.h"
#include "nccl-tests/floor_check.h"
#include "nccl-tests/summary.h"

namespace slipway::bandwidth {

enum class Outcome {
  pass,
  fail,
  too_noisy,  // the noise allows either
  not_judged,
};

// One size and placement that was compared with an expected figure.
struct JudgedPlacement {
  int64_t size_bytes = 0;  // of the run
  std::string placement;   // "out of place"
  FloorCheck check;
};

struct Verdict {
  Outcome outcome = Outcome::not_judged;
  std::vector<std::string> reasons;          // at least one
  std::vector<JudgedPlacement> judged = {};  // empty where no expected figure was compared
};

// Wrong data fails at any speed. Otherwise, if the run has a control, its ratio to the control is
// judged. Otherwise both placements are compared with the figures that apply to the run
// (figures.h): pass and fail are wrong in at most 5 % of the cases each (floor_check.h). If nothing
// can be compared, the reason says what is missing.
Verdict judge(const Setup& setup, const std::vector<Row>& rows);

// The figures that apply to the run, with the sizes and tolerances that hold for it.
std::vector<NodeProfile::ExpectedBandwidth> expected_of(const Setup& setup);

// The outcome of checks: fail if one fails, else too noisy if one is unclear, else pass; not judged
// without any.
Outcome outcome_of(const std::vector<JudgedPlacement>& judged);

// The runs that all unclear checks need; empty if there are none, or no useful number would do.
std::optional<int> runs_needed(const std::vector<JudgedPlacement>& judged);

// What each check found, with its figure: "busbw 188.54 GB/s in place at 8589934592 bytes reaches …
// (expected 188.8 less 10 %, a page)".
std::string reason_of(const JudgedPlacement& judged, double expected_gb_per_s, double tolerance,
                      std::string_view source);

// "pass", "fail", "too noisy to say", "not judged"
std::string_view to_string(Outcome outcome);

// The last line of the program's output: "# Verdict: not judged (no node profile on this node)".
// A comment, so that parsers of the table skip it.
std::string verdict_line(const Verdict& verdict);

}  // namespace slipway::bandwidth
