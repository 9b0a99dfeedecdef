// Which of the node profile's expected figures judge a run, and which of its sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/node_profile.h"
#include "nccl-tests/summary.h"

namespace slipway::bandwidth {

// An expected figure, as it applies to one run.
struct AppliedFigure {
  NodeProfile::ExpectedBandwidth figure;
  int64_t from_bytes = 0;  // the smallest size of the run that it judges
  double tolerance = 0;
  std::string because;  // why it holds although it is for fewer nodes; empty if it is for as many

  double floor_gb_per_s() const { return figure.busbw_gb_per_s * (1 - tolerance); }
};

struct RunFigures {
  std::vector<AppliedFigure> figures;  // by from_bytes
  std::string why_none;                // what is missing, if there are none
};

// The figures for the run's collective, transport, nodes and ranks of each node. A figure for fewer
// nodes applies if the catalogue says that it holds on more of them: from the size on at which a
// rank has as many bytes as it had when the figure was measured.
RunFigures figures_of(const Setup& setup);

// A size that was run; `kind` tells rows of different types, reductions and roots apart.
struct RunSize {
  std::string kind;
  int64_t bytes = 0;
};

// For each size, the index of the figure that judges it. A figure judges the smallest size of each
// kind that reaches it, and that reaches no larger figure.
std::vector<std::optional<size_t>> judged_by(const std::vector<RunSize>& sizes,
                                             const std::vector<int64_t>& from_bytes);

}  // namespace slipway::bandwidth
