// Decides which pairs of nodes to measure next to find the slow ones, as a pure function of the
// results so far.
//
// Two rounds pair each node with its two neighbors in a shuffled order, inside blocks if there are
// any. Then come pairs across blocks, then each suspect with a node that is known to be good.
// docs/decisions/0026-finding-the-slow-node.md says why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slipway::bandwidth {

struct ScanNode {
  std::string name;
  int block = 0;
};

struct Pair {
  int a = 0, b = 0;  // indices into the list of nodes
  bool operator==(const Pair&) const = default;
};

// A round is a set of pairs that are measured at the same time; each node is in at most one.
using Round = std::vector<Pair>;

struct PairResult {
  int round = 0;
  Pair pair;
  std::optional<double> busbw_gb_per_s;  // empty: it failed
  std::string failure;                   // why it failed
};

struct ScanSettings {
  uint64_t seed = 1;
  int most_rounds = 4;
  double least_drop = 0.1;  // a node is slow if its bandwidth is lower by this share
};

// The round that follows `results`; empty when the scan is finished.
Round next_round(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
                 const ScanSettings& settings);

int rounds_done(const std::vector<PairResult>& results);

}  // namespace slipway::bandwidth
