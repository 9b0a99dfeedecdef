// The distributions that the statistics of runs need: normal and Student's t, and Holm's
// correction.
#pragma once

#include <vector>

namespace slipway::bandwidth {

// P(Z <= z) for the standard normal distribution, and the z of a probability between 0 and 1.
double normal_cdf(double z);
double normal_quantile(double probability);

// The regularized incomplete beta function; a and b above 0, x from 0 to 1.
double incomplete_beta(double a, double b, double x);

// P(T <= t) for Student's t with `freedom` degrees of freedom, which may be a fraction; and the t
// of a probability between 0 and 1.
double student_cdf(double t, double freedom);
double student_quantile(double probability, double freedom);

// Holm's step-down correction: for each p-value the level at which it is rejected together with all
// others, so that the chance of any false rejection stays below the level. Same order; at most 1.
std::vector<double> holm(const std::vector<double>& p_values);

}  // namespace slipway::bandwidth
