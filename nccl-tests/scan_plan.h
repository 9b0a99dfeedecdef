// Which pairs of nodes to measure next, to find those that are slow: a pure function of what is
// known.
//
// Two rounds of pairs, everyone with two neighbours of a shuffled order, in the same block where
// there are blocks; then everyone across blocks; then each suspect with a node that is known to be
// good. docs/decisions/0026-finding-the-slow-node.md says why.
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
  int a = 0, b = 0;  // places in the list of nodes
  bool operator==(const Pair&) const = default;
};

// A round is a set of pairs that are measured at the same time; no node is in two of them.
using Round = std::vector<Pair>;

struct PairResult {
  int round = 0;
  Pair pair;
  std::optional<double> busbw_gb_per_s;  // none: it failed
  std::string failure;                   // why
};

struct ScanSettings {
  uint64_t seed = 1;
  int most_rounds = 4;
  double least_drop = 0.1;  // of the bandwidth, that a verdict speaks of
};

// The round after those in `results`; empty when the scan is over.
Round next_round(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
                 const ScanSettings& settings);

int rounds_done(const std::vector<PairResult>& results);

}  // namespace slipway::bandwidth
