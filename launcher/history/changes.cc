// Finds where a series of bandwidths has changed for good.
#include "launcher/history/changes.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "common/distributions.h"
#include "common/median.h"

namespace slipway::history {
namespace {

constexpr size_t least_before = 3, least_after = 2, least_before_one = 5;
// Measurements repeat no better than this, whatever a few of them look like.
constexpr double least_deviation = 0.002;

using Logs = std::span<const double>;

double median_of(Logs values) {
  return median({values.begin(), values.end()});
}

// A part of the values, from `begin` to before `end`, that may differ from the rest.
struct Part {
  size_t begin = 0, end = 0;
  double p = 1;

  bool has(size_t place) const { return place >= begin && place < end; }
};

struct Sides {
  double inside = 0, outside = 0;  // means
  size_t inner = 0, outer = 0;     // counts
};

Sides sides_of(Logs values, const Part& part) {
  Sides sides;
  for (size_t i = 0; i < values.size(); ++i) {
    (part.has(i) ? sides.inside : sides.outside) += values[i];
    ++(part.has(i) ? sides.inner : sides.outer);
  }
  sides.inside /= static_cast<double>(sides.inner);
  sides.outside /= static_cast<double>(sides.outer);
  return sides;
}

// How many independent values one is worth: less than one if each resembles the one before it.
double worth(const std::vector<double>& left, double squares) {
  // Too few values show no resemblance that is not by chance.
  constexpr size_t enough = 12;
  if (left.size() < enough || squares == 0) return 1;
  double products = 0;
  for (size_t i = 1; i < left.size(); ++i) products += left[i] * left[i - 1];
  // Two means were taken out, which makes neighbors look less alike than they are.
  const double alike =
      std::clamp(products / squares + 3 / static_cast<double>(left.size()), 0.0, 0.9);
  return (1 - alike) / (1 + alike);
}

// How likely a difference like that between this part and the rest is for equal runs.
double likelihood(Logs values, const Part& part) {
  const Sides sides = sides_of(values, part);
  std::vector<double> left;
  double squares = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    left.push_back(values[i] - (part.has(i) ? sides.inside : sides.outside));
    squares += left.back() * left.back();
  }
  const double share = worth(left, squares);
  const double inner = static_cast<double>(sides.inner) * share,
               outer = static_cast<double>(sides.outer) * share;
  const double deviation =
      std::max(least_deviation, std::sqrt(squares / static_cast<double>(values.size() - 2)));
  const double t = (sides.inside - sides.outside) /
                   (deviation * std::sqrt(1 / std::max(inner, 1.0) + 1 / std::max(outer, 1.0)));
  return student_two_sided(t, inner + outer - 2);
}

// The most unlikely of all parts that reach the end, or that do not; its p is for having tried all.
Part best_part(Logs values, bool to_the_end) {
  Part best;
  size_t tried = 0;
  const size_t n = values.size();
  for (size_t begin = least_before; begin + least_after <= n; ++begin) {
    for (size_t end = to_the_end ? n : begin + least_after;
         end <= (to_the_end ? n : n - least_after); ++end) {
      Part one{begin, end};
      one.p = likelihood(values, one);
      ++tried;
      if (one.p < best.p) best = one;
    }
  }
  best.p = std::min(1.0, best.p * static_cast<double>(tried));
  return best;
}

void find_in(Logs values, size_t offset, double least, double level, std::vector<Step>& found) {
  if (values.size() < least_before + least_after) return;
  Part best = best_part(values, true);
  if (values.size() >= least_before + 2 * least_after) {
    const Part between = best_part(values, false);
    if (between.p < best.p) best = between;
  }
  if (best.p > level / 2) return;  // two kinds of parts were tried
  const Logs before = values.first(best.begin),
             inside = values.subspan(best.begin, best.end - best.begin),
             after = values.subspan(best.end);
  const auto add = [&](Logs one, Logs other, size_t at) {
    const double ratio = std::exp(median_of(other) - median_of(one));
    if (std::abs(ratio - 1) >= least) found.push_back({offset + at, ratio});
  };
  add(before, inside, best.begin);
  if (!after.empty()) add(inside, after, best.end);
  find_in(before, offset, least, level, found);
  find_in(inside, offset + best.begin, least, level, found);
  find_in(after, offset + best.end, least, level, found);
}

std::vector<double> logs_of(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

}  // namespace

std::vector<Step> find_steps(const std::vector<double>& values, double least, double level) {
  const std::vector<double> logs = logs_of(values);
  std::vector<Step> found;
  find_in(logs, 0, least, level, found);
  std::ranges::sort(found, {}, &Step::at);
  return found;
}

bool is_last_low(const std::vector<double>& values, double least, double level) {
  if (values.size() < least_before_one + 1) return false;
  const std::vector<double> logs = logs_of(values);
  const double p = likelihood(logs, {logs.size() - 1, logs.size()});
  const double before = median_of(Logs(logs).first(logs.size() - 1));
  return p <= level && std::exp(logs.back() - before) <= 1 - least;
}

}  // namespace slipway::history
