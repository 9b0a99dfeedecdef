// What one run says about a time: a level, and how uncertain it is because of the noise that can be
// seen within the run.
//
// Samples of a run are not independent, and their noise is of any shape. The level is therefore the
// mean of the logarithms without the lowest and the highest fifth: a few disturbed samples do not
// move it, and it does not jump where times have two modes, as a median does. Its error follows
// from the winsorized variance (Yuen, 1974), enlarged by what samples in a row have in common.
//
// What is the same for all samples of a run, such as the paths that its connections took, cannot be
// seen within it: assumed_run_deviation.
#pragma once

#include <span>

namespace slipway::bandwidth {

// Times are ratios, so all values are natural logarithms: 0.05 is 5 %.
struct RunLevel {
  double log_us = 0;
  double error = 0;      // the standard error of log_us; 0 if one sample leaves it unknown
  double freedom = 0;    // its degrees of freedom; 0 for one sample
  double deviation = 0;  // the standard deviation of one sample, as the winsorized ones suggest
};

// How much the levels of equal runs are assumed to differ where too few runs show it: a standard
// deviation of 5 %. Public runs of all_gather on two equal machines differ by 0.3 % (a3-megagpu-8g,
// four of five), 1 % (a3-ultragpu-8g) and 3 % (a4-highgpu-8g), and single ones by 4 %.
inline constexpr double assumed_run_deviation = 0.05;

// `samples_us` in the order in which they were taken: at least one.
RunLevel run_level(std::span<const double> samples_us);

// How much larger the variance of the mean of `values` is than if they were independent, estimated
// from the correlation of each with the next; at least 1.
double variance_inflation(std::span<const double> values);

}  // namespace slipway::bandwidth
