// Chooses the nodes that an attempt runs on.
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

// Chooses nodes after a failure. Spares replace the nodes in `bad`, so that all other nodes keep
// their ranks; without enough spares, there are fewer nodes. A mere suspect swaps with a spare or,
// without a spare, all nodes rotate by one: if the node was at fault, the failure stays with the
// node; if the application was, it stays with the rank. A node where failures began twice in a row
// becomes a spare if at least `least` nodes remain.
NodeChoice next_choice(NodeChoice choice, const std::vector<std::string>& bad,
                       const Verdict& verdict, size_t least);

}  // namespace slipway::job
