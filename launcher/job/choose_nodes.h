// Which nodes an attempt runs on.
#pragma once

#include <string>
#include <vector>

#include "launcher/job/blame.h"

namespace slipway::job {

struct NodeChoice {
  std::vector<std::string> nodes;   // in the order of their ranks
  std::vector<std::string> spares;  // the next one first
};

// The first `wanted` nodes; the others are spares.
NodeChoice first_choice(const std::vector<std::string>& nodes, size_t wanted);

// After a failure. Without the nodes of `bad`, in whose places spares come, so that all others keep
// their ranks; fewer than before when there are not spares enough. A mere suspect changes places
// with a spare or, without any, all nodes move on by one: if it was the node, the failure stays
// with it; if it was the application, it stays with the rank. Where it has begun twice in a row and
// `least` nodes are left without it, it becomes a spare itself.
NodeChoice next_choice(NodeChoice choice, const std::vector<std::string>& bad,
                       const Verdict& verdict, size_t least);

}  // namespace slipway::job
