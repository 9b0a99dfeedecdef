// Student's t distribution, by the regularized incomplete beta function: its continued fraction
// (NIST's Digital Library of Mathematical Functions, 8.17.22), evaluated with Lentz's method.
#include "launcher/history/student.h"

#include <math.h>

#include <cmath>

namespace slipway::history {
namespace {

constexpr int most_terms = 500;
constexpr double tiny = 1e-300, precise = 1e-14;

double nonzero(double x) {
  return std::abs(x) < tiny ? tiny : x;
}

// std::lgamma writes to a global variable.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double fraction(double a, double b, double x) {
  double c = 1, d = 1 / nonzero(1 - (a + b) * x / (a + 1)), all = d;
  for (int m = 1; m < most_terms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonzero(1 + even * d);
    c = nonzero(1 + even / c);
    all *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonzero(1 + odd * d);
    c = nonzero(1 + odd / c);
    all *= d * c;
    if (std::abs(d * c - 1) < precise) break;
  }
  return all;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) +
                                b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * fraction(a, b, x) / a;
  return 1 - front * fraction(b, a, 1 - x) / b;
}

}  // namespace

double two_sided_p(double t, double degrees) {
  if (!(degrees > 0)) return 1;
  return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

}  // namespace slipway::history
