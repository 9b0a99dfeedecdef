// The verdict: is what was measured what this machine is known to reach?
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

// Wrong data fails whatever the speed. Otherwise both placements are held against the expected
// figures of the node profile for this collective and number of nodes, each at the size it names;
// where nothing can be held against anything, the reason says what is missing.
Verdict judge(const Setup& setup, const std::vector<Row>& rows);

// The expected figures of the node profile for this run's collective, nodes and transport.
std::vector<NodeProfile::ExpectedBandwidth> expected_of(const Setup& setup);

// "pass", "fail", "not judged"
std::string_view to_string(Outcome outcome);

// The last line of the program's output: "# Verdict: not judged (no node profile on this node)".
// A comment, so that parsers of the table skip it.
std::string verdict_line(const Verdict& verdict);

}  // namespace slipway::bandwidth
