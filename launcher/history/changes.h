// Finds where a series of bandwidths has changed for good, in the noise from run to run.
#pragma once

#include <cstddef>
#include <vector>

namespace slipway::history {

struct Step {
  size_t at = 0;     // the first value after it
  double ratio = 1;  // of the medians after and before it: 0.9 is 10 % slower
};

// The steps of at least `least` (0.03: 3 %), in order. `values` are positive and in the order of
// time. `level` is the chance that equal runs give a step, over everything that is tested here.
// A step needs three values before it and two after it. The two sides are compared by a t test
// whose level is divided by the number of places that are tried; noise that stays from one run to
// the next counts for fewer runs.
std::vector<Step> find_steps(const std::vector<double>& values, double least, double level);

// Whether the last value alone is below the ones before it, of which there must be five.
bool is_last_low(const std::vector<double>& values, double least, double level);

}  // namespace slipway::history
