// The distribution functions that statistics need, from Boost.Math.
#include "common/distributions.h"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace slipway {
namespace {

// What is not defined is NaN instead of an exception, and double is precise enough.
namespace bm = boost::math;
using Policy = bm::policies::policy<bm::policies::domain_error<bm::policies::ignore_error>,
                                    bm::policies::overflow_error<bm::policies::ignore_error>,
                                    bm::policies::promote_double<false>>;
using Normal = bm::normal_distribution<double, Policy>;
using Student = bm::students_t_distribution<double, Policy>;
using Binomial = bm::binomial_distribution<double, Policy>;
using Beta = bm::beta_distribution<double, Policy>;

}  // namespace

double normal_cdf(double z) {
  return bm::cdf(Normal(), z);
}

double normal_quantile(double probability) {
  return bm::quantile(Normal(), probability);
}

double student_cdf(double t, double freedom) {
  return bm::cdf(Student(freedom), t);
}

double student_quantile(double probability, double freedom) {
  return bm::quantile(Student(freedom), probability);
}

double student_two_sided(double t, double freedom) {
  return freedom > 0 ? 2 * bm::cdf(Student(freedom), -std::fabs(t)) : 1;
}

double binomial_cdf(int k, int n, double p) {
  return bm::cdf(Binomial(n, p), k);
}

// P(X >= least) as a function of the chance is the beta distribution.
double binomial_chance(int least, int n, double chance) {
  return bm::quantile(Beta(least, n - least + 1), chance);
}

}  // namespace slipway
