// The verdict: did the run reach the bandwidth that this machine type is known to reach?
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nccl-tests/summary.h"

namespace slipway::bandwidth {

enum class Outcome { pass, fail, not_judged };

struct Verdict {
  Outcome outcome = Outcome::not_judged;
  std::vector<std::string> reasons;  // at least one
};

// Wrong data fails at any speed. Otherwise, if the run has a control, its ratio to the control is
// judged. Otherwise both placements are compared with the node profile's expected figures for this
// collective and number of nodes, each at its size. If nothing can be compared, the reason says
// what is missing.
Verdict judge(const Setup& setup, const std::vector<Row>& rows);

// The expected figures of the node profile for this run's collective, nodes and transport.
std::vector<NodeProfile::ExpectedBandwidth> expected_of(const Setup& setup);

// "pass", "fail", "not judged"
std::string_view to_string(Outcome outcome);

// The last line of the program's output: "# Verdict: not judged (no node profile on this node)".
// A comment, so that parsers of the table skip it.
std::string verdict_line(const Verdict& verdict);

}  // namespace slipway::bandwidth
