// Holm's correction: several statements at once.
#include "nccl-tests/holm.h"

#include <algorithm>
#include <numeric>

namespace slipway::bandwidth {

std::vector<double> holm(const std::vector<double>& p_values) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double so_far = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto left = static_cast<double>(order.size() - i);
    so_far = std::max(so_far, std::min(1.0, left * p_values[order[i]]));
    adjusted[order[i]] = so_far;
  }
  return adjusted;
}

}  // namespace slipway::bandwidth
