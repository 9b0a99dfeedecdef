// The noise of pairs, and what it leaves of a scan.
#include "nccl-tests/scan_noise.h"

#include <algorithm>
#include <cmath>

#include "common/distributions.h"
#include "common/median.h"
#include "nccl-tests/statistics.h"

namespace slipway::bandwidth {
namespace {

constexpr int most_pairs = 256;  // of a unit: a scan of so many rounds is too long

}  // namespace

double normal_tail(double chance) {
  return -normal_quantile(chance);
}

int level_rank(int pairs) {
  return std::max(1, (2 * pairs + 2) / 5);
}

double level_of(std::vector<double> values) {
  const auto place = values.begin() + level_rank(static_cast<int>(values.size())) - 1;
  std::ranges::nth_element(values, place, std::greater<>());
  return *place;
}

PairNoise::PairNoise(std::vector<double> residuals, int units)
    : sorted_(std::move(residuals)), units_(std::max(units, 1)) {
  if (sorted_.empty()) return;
  std::ranges::sort(sorted_);
  center_ = median(sorted_);
  std::vector<double> distances;
  for (const double value : sorted_) distances.push_back(std::fabs(value - center_));
  deviation_ = mad_to_deviation * median(distances);
}

void PairNoise::set_unit_spread(const UnitSpread& spread) {
  unit_spread_ = spread;
  bounds_.clear();
}

// Below (or above) the measured values, or where they end, a normal distribution of the same spread
// decides; few values know their spread badly, so that it is Student's distribution.
double PairNoise::quantile(double share_below) const {
  if (sorted_.empty()) return 0;
  const auto count = static_cast<double>(sorted_.size());
  const double z = normal_quantile(share_below);
  const double freedom = std::max(count - 1, 1.0);
  const double normal = center_ + deviation_ * student_quantile(share_below, freedom);
  // A share of few values may be that much larger in truth, so look a deviation further out.
  const double outside = count * std::min(share_below, 1 - share_below);
  const double rank = std::max(outside - std::sqrt(outside), 0.0);
  const double place = std::clamp(z < 0 ? rank : count - 1 - rank, 0.0, count - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted_.size() - 1);
  const double part = place - static_cast<double>(below);
  const double measured = sorted_[below] * (1 - part) + sorted_[above] * part;
  return z < 0 ? std::min(measured, normal) : std::max(measured, normal);
}

// How far the level of a healthy unit is from the middle with this chance, as the levels of good
// units differ. Few units know their spread badly.
double PairNoise::level_beyond(int pairs, double chance) const {
  if (unit_spread_.units < 2) return 0;
  return -std::hypot(unit_spread_.of_levels * level_deviation(pairs), unit_spread_.lasting) *
         student_quantile(chance, unit_spread_.units - 1);
}

const PairNoise::Bounds& PairNoise::bounds(int pairs) const {
  const auto found = bounds_.find(pairs);
  if (found != bounds_.end()) return found->second;
  const int rank = level_rank(pairs), others = pairs - rank + 1;
  Bounds one;
  if (sorted_.size() == 1) {  // says nothing about how much others differ
    one = {-HUGE_VAL, 0, HUGE_VAL};
    return bounds_.emplace(pairs, one).first->second;
  }
  one.middle = quantile(binomial_chance(others, pairs, 0.5));
  const double lowest = quantile(binomial_chance(others, pairs, false_names_of_scan / units_));
  const double highest = quantile(1 - binomial_chance(rank, pairs, misses_of_unit));
  one.lowest = std::min(lowest, one.middle - level_beyond(pairs, false_names_of_scan / units_));
  one.highest = std::max(highest, one.middle + level_beyond(pairs, misses_of_unit));
  return bounds_.emplace(pairs, one).first->second;
}

double PairNoise::level_deviation(int pairs) const {
  const int others = pairs - level_rank(pairs) + 1;
  // The distance between the quartiles of a normal distribution is 1.349 standard deviations.
  return (quantile(binomial_chance(others, pairs, 0.75)) -
          quantile(binomial_chance(others, pairs, 0.25))) /
         1.349;
}

double PairNoise::detectable(int pairs) const {
  if (pairs < 1) return HUGE_VAL;
  return highest_level(pairs) - lowest_level(pairs);
}

int PairNoise::pairs_for(double log_drop) const {
  int high = 2;
  while (detectable(high) > log_drop) {
    if (high >= most_pairs) return 0;
    high *= 2;
  }
  int low = high / 2;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (detectable(middle) > log_drop ? low : high) = middle;
  }
  return high;
}

double PairNoise::share_below(double level) const {
  const auto below = std::ranges::lower_bound(sorted_, level) - sorted_.begin();
  return static_cast<double>(below) / static_cast<double>(std::max<size_t>(sorted_.size(), 1));
}

double PairNoise::cut(int pairs, double log_drop) const {
  // A part of the way from the level of a fault to that of chance.
  const double of_fault = highest_level(pairs) - log_drop, of_chance = lowest_level(pairs);
  return of_fault < of_chance ? of_fault + (of_chance - of_fault) / 6 : of_chance;
}

}  // namespace slipway::bandwidth
