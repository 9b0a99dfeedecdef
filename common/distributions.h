// The distributions that statistics of runs and pairs need, from Boost.Math.
#pragma once

namespace slipway {

// P(Z <= z) for the standard normal distribution, and the z of a probability between 0 and 1.
double normal_cdf(double z);
double normal_quantile(double probability);

// P(T <= t) for Student's t with `freedom` degrees of freedom, which are above 0 and may have a
// fraction; and the t of a probability between 0 and 1.
double student_cdf(double t, double freedom);
double student_quantile(double probability, double freedom);

// How likely a value at least as far from 0 as `t` is. 1 without degrees of freedom.
double student_two_sided(double t, double freedom);

// P(X <= k) for a binomial distribution of n trials with the chance p each.
double binomial_cdf(int k, int n, double p);

// The chance of each trial at which `least` or more of `n` succeed with the probability `chance`.
double binomial_chance(int least, int n, double chance);

}  // namespace slipway
