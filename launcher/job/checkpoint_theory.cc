// Formulas for checkpoint intervals and goodput that need no simulation.
#include "launcher/job/checkpoint_theory.h"

#include <algorithm>
#include <cmath>

namespace slipway::job {

double young_interval(double checkpoint, double between_failures) {
  return std::sqrt(2 * checkpoint * between_failures);
}

double daly_interval(double checkpoint, double between_failures) {
  if (checkpoint >= 2 * between_failures) return between_failures;
  const double ratio = checkpoint / (2 * between_failures);
  return young_interval(checkpoint, between_failures) * (1 + std::sqrt(ratio) / 3 + ratio / 9) -
         checkpoint;
}

double daly_goodput(double interval, double checkpoint, double restart, double between_failures) {
  return interval / between_failures * std::exp(-restart / between_failures) /
         std::expm1((interval + checkpoint) / between_failures);
}

double first_order_goodput(double interval, double checkpoint, double restart,
                           double between_failures) {
  const double lost = (restart + interval / 2) / between_failures;
  return std::max(0.0, 1 - lost) / (1 + checkpoint / interval);
}

}  // namespace slipway::job
