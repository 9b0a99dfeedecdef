// Holm's correction for several tests.
#pragma once

#include <vector>

namespace slipway::bandwidth {

// Holm's step-down correction: for each p-value the level at which it is rejected together with all
// others, so that the chance of any false rejection stays below the level. Same order; at most 1.
std::vector<double> holm(const std::vector<double>& p_values);

}  // namespace slipway::bandwidth
