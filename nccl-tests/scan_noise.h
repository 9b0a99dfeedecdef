// The noise of pairs, and what it leaves of a scan: how low a healthy unit (a node, or a block)
// may come out by chance, and which drops exceed that.
//
// A unit's level is a rank of its pairs: the best of 2 or 3, the second of 4 to 6, about the fifth
// of 12. A fault slows every pair of a unit, so its level falls with it; a bad link, a collision or
// an outlier moves one pair, and the level stays. How far chance moves a level follows from the
// distribution of pairs by the binomial distribution. That distribution is the measured one: no
// shape is assumed, but it is never taken to be narrower than a normal one of the same spread.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace slipway::bandwidth {

// The chance that a scan names a healthy unit is kept below this, over all its units together;
// half of what is promised, because a scan looks at its results after every round.
inline constexpr double false_names_of_scan = 0.02;
// The chance that one unit with exactly the drop to detect is missed.
inline constexpr double misses_of_unit = 0.002;

// The rank, 1 for the largest, that is the level of `pairs` values.
int level_rank(int pairs);
// At least one value.
double level_of(std::vector<double> values);

// How much the levels of good units differ.
struct UnitSpread {
  int units = 0;         // as so many of them show; 0: not known
  double lasting = 0;    // beyond what their pairs explain: a standard deviation of logarithms
  double of_levels = 1;  // relative to what their pairs explain, where it may be chance
};

class PairNoise {
 public:
  PairNoise() = default;
  // `residuals`: logarithms of pairs of good units, relative to their reference.
  PairNoise(std::vector<double> residuals, int units);

  // The robust standard deviation of a pair, as a share of it.
  double deviation() const { return deviation_; }
  size_t size() const { return sorted_.size(); }

  void set_unit_spread(const UnitSpread& spread);
  double unit_spread() const { return unit_spread_.lasting; }
  // The standard deviation of the level of a healthy unit that pairs explain.
  double level_deviation(int pairs) const;

  // The level below which a healthy unit falls, and above which it rises, only by rare chance.
  double lowest_level(int pairs) const { return bounds(pairs).lowest; }
  double level_middle(int pairs) const { return bounds(pairs).middle; }
  double highest_level(int pairs) const { return bounds(pairs).highest; }

  // The least drop, as a logarithm above 0, that `pairs` pairs of a unit show for certain.
  double detectable(int pairs) const;
  // The pairs of each unit that show a drop of `log_drop`; 0 if no number does.
  int pairs_for(double log_drop) const;

  // The share of pairs of good units that were lower than this.
  double share_below(double level) const;

  // Levels below this belong to a unit that is slow: as low as `log_drop` allows, so that small
  // differences between healthy units do not matter.
  double cut(int pairs, double log_drop) const;

 private:
  struct Bounds {
    double lowest = 0, middle = 0, highest = 0;
  };
  const Bounds& bounds(int pairs) const;
  double quantile(double share_below) const;
  double level_beyond(int pairs, double chance) const;

  std::vector<double> sorted_;
  double center_ = 0, deviation_ = 0;
  UnitSpread unit_spread_;
  int units_ = 1;
  mutable std::map<int, Bounds> bounds_;
};

// The number of standard deviations that a normal value exceeds with this chance.
double normal_tail(double chance);

}  // namespace slipway::bandwidth
