// The middle of some values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace slipway {

// Of an even number of values, the mean of the two in the middle; 0 for no values.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 != 0) return *middle;
  return (*middle + *std::ranges::max_element(values.begin(), middle)) / 2;
}

}  // namespace slipway
