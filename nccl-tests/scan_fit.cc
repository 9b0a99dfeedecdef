// How fast each unit (a node, or a block of nodes) is, from pairs of units.
#include "nccl-tests/scan_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "common/median.h"
#include "nccl-tests/statistics.h"

namespace slipway::bandwidth {
namespace {

constexpr int most_passes = 20;
// A round of at least this many good pairs knows by how much all of it was faster or slower.
constexpr size_t pairs_of_an_offset = 6;
// With fewer pairs of good units, those of slow ones help to know the noise.
constexpr size_t few_residuals = 24;
// Units are compared among themselves when there are at least this many.
constexpr size_t least_units_of_spread = 8;
// A spread that exceeds what pairs explain by so many standard errors is the units' own.
constexpr double chance_of_spread = 1.5;
// The lower tail of so many good units says how wide they are, without the few that may have faults
// too small to be suspected.
constexpr size_t units_of_tail = 40, small_faults = 4;

double largest_but(std::vector<double> values, size_t skipped) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(skipped);
  std::ranges::nth_element(values, place, std::greater<>());
  return *place;
}

// The standard deviation of a normal distribution that is as wide as these values at the quartiles;
// of many values, also in the lower half, or where its tail begins, if that is more. A pair is as
// fast as its slower unit, so where units differ, the faster ones look like their partners, and
// only the lower part of the distribution shows by how much.
double wide_deviation(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> distances, below;
  for (const double value : values) {
    distances.push_back(std::fabs(value - middle));
    if (value <= middle) below.push_back(middle - value);
  }
  const double wide = mad_to_deviation * median(distances);
  if (values.size() < units_of_tail) return wide;
  const size_t skipped = std::max(small_faults, values.size() / 32);
  const double share = (static_cast<double>(skipped) + 0.5) / static_cast<double>(values.size());
  return std::max(
      {wide, mad_to_deviation * median(below), largest_but(below, skipped) / normal_tail(share)});
}

class Fitter {
 public:
  Fitter(int units, const std::vector<Observation>& observations, double log_drop)
      : observations_(observations), log_drop_(log_drop), good_(static_cast<size_t>(units)) {
    fit_.units.resize(static_cast<size_t>(units));
    fit_.relative.resize(observations.size());
    for (const Observation& one : observations) {
      kinds_ = std::max(kinds_, at(one.kind) + 1);
      rounds_ = std::max(rounds_, at(one.round) + 1);
    }
    find_paths();
    of_unit_.resize(static_cast<size_t>(units));
    for (size_t i = 0; i < paths_.size(); ++i) {
      if (first_of(paths_[i]).is_reference) continue;
      of_unit_[at(first_of(paths_[i]).a)].push_back(i);
      of_unit_[at(first_of(paths_[i]).b)].push_back(i);
    }
  }

  // A partner that was met on many paths, such as a block with many nodes, counts no more than
  // others.
  void count_partners_alike() {
    for (size_t unit = 0; unit < of_unit_.size(); ++unit) {
      std::map<int, size_t> met, taken;
      for (const size_t i : of_unit_[unit]) ++met[partner_of(unit, i)];
      if (met.size() == of_unit_[unit].size()) continue;
      const size_t most = of_unit_[unit].size() / met.size();
      std::erase_if(of_unit_[unit], [&](size_t i) { return ++taken[partner_of(unit, i)] > most; });
    }
  }

  Fit take() {
    if (observations_.empty()) return std::move(fit_);
    count_partners_alike();
    guess_good();
    for (int pass = 0; pass < most_passes; ++pass) {
      const std::vector<char> before = good_;
      relate();
      measure_noise();
      judge();
      if (good_ == before) break;
    }
    return std::move(fit_);
  }

 private:
  struct Path {
    std::vector<size_t> observations;  // at least one
    double log_busbw = 0;              // their medians
    double relative = 0;
  };

  static size_t at(int unit) { return static_cast<size_t>(unit); }
  const Observation& first_of(const Path& path) const {
    return observations_[path.observations.front()];
  }

  void find_paths() {
    std::unordered_map<uint64_t, size_t> places;
    places.reserve(observations_.size());
    for (size_t i = 0; i < observations_.size(); ++i) {
      const auto [place, is_new] = places.emplace(observations_[i].path, paths_.size());
      if (is_new) paths_.emplace_back();
      paths_[place->second].observations.push_back(i);
    }
    for (Path& path : paths_)
      path.log_busbw = median_over(path, [&](size_t i) { return observations_[i].log_busbw; });
  }

  template <class Value>
  static double median_over(const Path& path, Value value) {
    if (path.observations.size() == 1) return value(path.observations.front());
    std::vector<double> values;
    for (const size_t i : path.observations) values.push_back(value(i));
    return median(values);
  }
  bool both_good(const Observation& one) const { return good_[at(one.a)] && good_[at(one.b)]; }

  // A slow unit spoils its partners' pairs, too, so the first guess takes the best pair of each,
  // and of the units those whose best pair is near the upper quartile and above the median.
  void guess_good() {
    std::vector<double> upper(kinds_);
    for (size_t kind = 0; kind < kinds_; ++kind) {
      const auto values =
          values_if([&](const Observation& one) { return at(one.kind) == kind; }, false);
      if (!values.empty()) upper[kind] = largest_but(values, values.size() / 16);
    }
    std::vector<double> best(fit_.units.size(), -HUGE_VAL), known;
    for (size_t unit = 0; unit < best.size(); ++unit) {
      std::vector<double> values;
      for (const size_t i : of_unit_[unit])
        values.push_back(paths_[i].log_busbw - upper[at(first_of(paths_[i]).kind)]);
      if (values.empty()) continue;
      best[unit] = *std::ranges::max_element(values);
      known.push_back(best[unit]);
    }
    const double near = largest_but(known, known.size() / 4) - log_drop_ / 2;
    take_best(best, std::max(near, largest_but(known, (known.size() - 1) / 2)));
    const auto pairs = static_cast<size_t>(
        std::ranges::count_if(paths_, [&](const Path& one) { return both_good(first_of(one)); }));
    if (pairs < std::max<size_t>(1, known.size() / 8)) take_best(best, near);
  }
  void take_best(const std::vector<double>& best, double least) {
    for (size_t unit = 0; unit < best.size(); ++unit) good_[unit] = best[unit] >= least;
  }

  // Relates every pair to pairs of good units of its kind, and of its round if they are many.
  void relate() {
    std::vector<double> references(kinds_);
    for (size_t kind = 0; kind < kinds_; ++kind) {
      const auto of_kind = [&](const Observation& one) { return at(one.kind) == kind; };
      std::vector<double> values = values_if(of_kind, true);
      if (values.empty()) values = values_if(of_kind, false);
      if (!values.empty()) references[kind] = median(values);
    }
    std::vector<std::vector<double>> by_round(kinds_ * rounds_);
    for (const Observation& one : observations_) {
      if (both_good(one)) by_round[of_round(one)].push_back(one.log_busbw);
    }
    std::vector<double> round_references(by_round.size());
    for (size_t i = 0; i < by_round.size(); ++i) {
      round_references[i] =
          by_round[i].size() >= pairs_of_an_offset ? median(by_round[i]) : references[i / rounds_];
    }
    for (size_t i = 0; i < observations_.size(); ++i) {
      const Observation& one = observations_[i];
      fit_.relative[i] = one.log_busbw - round_references[of_round(one)];
    }
    for (Path& path : paths_)
      path.relative = median_over(path, [&](size_t i) { return fit_.relative[i]; });
    for (size_t unit = 0; unit < fit_.units.size(); ++unit) fit_.units[unit] = describe_unit(unit);
  }
  size_t of_round(const Observation& one) const { return at(one.kind) * rounds_ + at(one.round); }

  template <class Condition>
  std::vector<double> values_if(Condition condition, bool only_good) const {
    std::vector<double> values;
    for (const Observation& one : observations_) {
      if (condition(one) && (!only_good || both_good(one))) values.push_back(one.log_busbw);
    }
    return values;
  }

  int partner_of(size_t unit, size_t path) const {
    const Observation& one = first_of(paths_[path]);
    return at(one.a) == unit ? one.b : one.a;
  }

  UnitFit describe_unit(size_t unit) const {
    std::vector<double> with_good, with_any;
    int of_good = 0, of_any = 0;
    for (const size_t i : of_unit_[unit]) {
      const auto times = static_cast<int>(paths_[i].observations.size());
      with_any.push_back(paths_[i].relative);
      of_any += times;
      if (!good_[at(partner_of(unit, i))]) continue;
      with_good.push_back(paths_[i].relative);
      of_good += times;
    }
    UnitFit found;
    found.met_good = !with_good.empty();
    const std::vector<double>& values = found.met_good ? with_good : with_any;
    if (values.empty()) return found;
    found.pairs = static_cast<int>(values.size());
    found.measured = found.met_good ? of_good : of_any;
    found.level = level_of(values);
    found.middle = median(values);
    return found;
  }

  void measure_noise() {
    std::vector<double> residuals;
    for (const Path& path : paths_) {
      if (both_good(first_of(path)) && !first_of(path).is_reference)
        residuals.push_back(path.relative);
    }
    if (residuals.size() < few_residuals) add_residuals_of_slow(residuals);
    fit_.noise = PairNoise(std::move(residuals), static_cast<int>(fit_.units.size()));
    fit_.noise.set_unit_spread(unit_spread());
  }

  // Pairs of a slow unit with good ones differ around its own speed. That is known from the same
  // pairs, so that they are farther from the true one than from it.
  void add_residuals_of_slow(std::vector<double>& residuals) const {
    std::vector<double> more;
    for (const Path& path : paths_) {
      const Observation& one = first_of(path);
      if (one.is_reference || good_[at(one.a)] == good_[at(one.b)]) continue;
      const UnitFit& slow = fit_.units[at(good_[at(one.a)] ? one.b : one.a)];
      const double n = slow.pairs;
      if (n > 1) more.push_back((path.relative - slow.middle) * std::sqrt(n / (n - 1)));
    }
    constexpr size_t enough = 3;
    if (more.size() >= enough) residuals.insert(residuals.end(), more.begin(), more.end());
  }

  // The spread of the good units' levels that the noise of their pairs does not explain.
  UnitSpread unit_spread() const {
    std::vector<double> levels, explained;
    for (size_t unit = 0; unit < fit_.units.size(); ++unit) {
      const UnitFit& one = fit_.units[unit];
      if (!good_[unit] || one.pairs == 0) continue;
      levels.push_back(one.level - fit_.noise.level_middle(one.pairs));
      explained.push_back(fit_.noise.level_deviation(one.pairs));
    }
    if (levels.size() < least_units_of_spread) return {};
    UnitSpread spread;
    spread.units = static_cast<int>(levels.size());
    const double seen = wide_deviation(levels), by_pairs = median(explained);
    const double chance = 1 + chance_of_spread / std::sqrt(static_cast<double>(levels.size()));
    if (seen > by_pairs * chance) {
      spread.lasting = std::sqrt(seen * seen - by_pairs * by_pairs);
    } else if (by_pairs > 0) {
      spread.of_levels = std::max(1.0, seen / by_pairs);
    }
    return spread;
  }

  void judge() {
    for (size_t unit = 0; unit < fit_.units.size(); ++unit) {
      UnitFit& one = fit_.units[unit];
      if (one.pairs == 0) {
        good_[unit] = false;
        continue;
      }
      const double cut = fit_.noise.cut(one.pairs, log_drop_);
      one.slow = one.met_good && one.level < cut;
      // Not yet sure, but bad company for others: half of the drop to find.
      good_[unit] = one.level >= std::max(cut, std::min(-log_drop_ / 2, suspicion(one.pairs)));
      one.good = good_[unit];
    }
  }
  // What about one healthy unit in a hundred falls below.
  double suspicion(int pairs) const {
    return fit_.noise.level_middle(pairs) -
           2.4 * std::hypot(fit_.noise.level_deviation(pairs), fit_.noise.unit_spread());
  }

  const std::vector<Observation>& observations_;
  double log_drop_;
  size_t kinds_ = 0, rounds_ = 0;
  std::vector<Path> paths_;
  std::vector<std::vector<size_t>> of_unit_;  // its paths
  std::vector<char> good_;
  Fit fit_;
};

}  // namespace

double Fit::detectable(int unit) const {
  return noise.detectable(units[static_cast<size_t>(unit)].pairs);
}

Fit fit_units(int units, const std::vector<Observation>& observations, double log_drop) {
  return Fitter(units, observations, log_drop).take();
}

}  // namespace slipway::bandwidth
