// How fast each unit (a node, or a block of nodes) is, from pairs of units: a pair is as fast as
// the slower of its two.
#pragma once

#include <cstdint>
#include <vector>

#include "nccl-tests/scan_noise.h"

namespace slipway::bandwidth {

// One measured pair.
struct Observation {
  int a = 0, b = 0;  // units
  int kind = 0;      // only pairs of the same kind are compared, such as those inside blocks
  int round = 0;
  double log_busbw = 0;
  // The same where the same two nodes were measured again. What is peculiar to them stays, so that
  // all their measurements together count as one, their median.
  uint64_t path = 0;
  bool is_reference = false;  // says what its kind reaches, and nothing about its units
};

struct UnitFit {
  int pairs = 0;     // with good units, or with any if it met no good one; each path once
  int measured = 0;  // how often these were measured
  bool met_good = false;
  double level = 0;   // by level_of(), a logarithm relative to pairs of good units
  double middle = 0;  // the median of the same pairs
  bool good = false;  // measured, and not suspected of anything
  bool slow = false;  // beyond what chance explains
};

struct Fit {
  std::vector<UnitFit> units;
  std::vector<double> relative;  // of each observation: a logarithm, 0 for a pair of good units
  PairNoise noise;

  // The least drop, as a logarithm, that the pairs of this unit show for certain.
  double detectable(int unit) const;
};

// `log_drop` above 0 is what must be found. The good units are the faster half at least, so up to
// half of all may be slow.
Fit fit_units(int units, const std::vector<Observation>& observations, double log_drop);

}  // namespace slipway::bandwidth
