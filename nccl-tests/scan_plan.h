// Decides which pairs of nodes to measure next to find the slow ones, as a pure function of the
// results so far.
//
// Every round pairs all nodes, each with a node of its own block that it has not met. From the
// third round on, suspects come first and meet nodes that are known to be good, and some rounds
// pair nodes across blocks. A scan ends when its results tell a node with the drop to find from a
// healthy one. docs/decisions/0065-what-a-scan-may-say.md says why.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nccl-tests/burn_verdict.h"
#include "nccl-tests/scan_levels.h"

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

// The levels below pairs, of nodes that the scan named and of healthy ones beside them.
struct ExaminedNodes {
  std::vector<int> named, healthy;
  std::vector<NodeLevel> levels;
};

// What the GPUs of all nodes did under load.
struct ScanBurn {
  double seconds = 0;
  std::vector<NodeBurn> nodes;
};

struct ScanSettings {
  uint64_t seed = 1;
  int most_rounds = 16;
  double detect = 0.1;  // a node that is slower by this share must be found
  double coverage = 0;  // measure at least this share of the pairs inside blocks
  // Nodes that left the scan, and why.
  std::map<int, std::string> lost = {};
  // Why all of the nodes are slower than their machine type; empty if that is not known.
  std::string too_slow = {};
  std::optional<ExaminedNodes> examined = {};
  std::optional<ScanBurn> burned = {};
};

// The round that follows `results`; empty when the scan is finished.
Round next_round(const std::vector<ScanNode>& nodes, const std::vector<PairResult>& results,
                 const ScanSettings& settings);

int rounds_done(const std::vector<PairResult>& results);

}  // namespace slipway::bandwidth
