// The distributions that the statistics of runs need: normal and Student's t, and Holm's
// correction.
#include "nccl-tests/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace slipway::bandwidth {
namespace {

// The x between `low` and `high` where the rising function reaches `wanted`: Newton's method, which
// halves the interval instead whenever a step would leave it.
template <class Function, class Slope>
double solve(Function function, Slope slope, double wanted, double low, double high) {
  double x = (low + high) / 2;
  for (int i = 0; i < 200 && high - low > 1e-15 * (1 + std::fabs(x)); ++i) {
    const double above = function(x) - wanted;
    (above < 0 ? low : high) = x;
    const double next = x - above / slope(x);
    const double last = x;
    x = next > low && next < high ? next : (low + high) / 2;
    if (std::fabs(x - last) <= 1e-15 * (1 + std::fabs(x))) break;
  }
  return x;
}

// The continued fraction of the incomplete beta function, by Lentz's method. It converges fast for
// x below (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  constexpr int most_terms = 500;
  const auto kept_from_zero = [](double value) { return std::fabs(value) < tiny ? tiny : value; };
  double c = 1, d = 1 / kept_from_zero(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m <= most_terms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / kept_from_zero(1 + even * d);
    c = kept_from_zero(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / kept_from_zero(1 + odd * d);
    c = kept_from_zero(1 + odd / c);
    result *= d * c;
    if (std::fabs(d * c - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return result;
}

}  // namespace

double normal_cdf(double z) {
  return std::erfc(-z / std::sqrt(2.0)) / 2;
}

double normal_quantile(double probability) {
  const auto density = [](double z) {
    return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  };
  return solve(normal_cdf, density, probability, -40, 40);
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_cdf(double t, double freedom) {
  const double tail = incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
  return t > 0 ? 1 - tail : tail;
}

double student_quantile(double probability, double freedom) {
  if (probability > 0.5) return -student_quantile(1 - probability, freedom);
  double low = -2;
  while (student_cdf(low, freedom) > probability) low *= 2;
  const double front = std::exp(std::lgamma((freedom + 1) / 2) - std::lgamma(freedom / 2)) /
                       std::sqrt(freedom * std::numbers::pi);
  const auto density = [&](double t) {
    return front * std::pow(1 + t * t / freedom, -(freedom + 1) / 2);
  };
  return solve([&](double t) { return student_cdf(t, freedom); }, density, probability, low, 0);
}

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
