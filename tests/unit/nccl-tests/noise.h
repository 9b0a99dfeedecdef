// The noise of bandwidth tests, invented: what the statistics of runs have to hold against.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace slipway::bandwidth {

using Random = std::mt19937_64;

inline double normal(Random& random) {
  return std::normal_distribution<double>()(random);
}

inline double uniform(Random& random) {
  return std::uniform_real_distribution<double>()(random);
}

// The logarithms of a run's sample times, whose typical value is 0. `level` is what the run has in
// common for all rows, drawn by NoiseModel::level.
struct NoiseModel {
  std::string name;
  // The run's own offset; `turn` is its place in time among all runs.
  std::function<double(Random&, double turn)> level;
  // One sample; `state` is 0 at the start of a row and is kept from sample to sample.
  std::function<double(Random&, double& state)> sample;
};

inline double no_level(Random&, double) {
  return 0;
}

inline auto per_operation(double deviation) {
  return [deviation](Random& random, double&) { return deviation * normal(random); };
}

inline auto offset(double deviation) {
  return [deviation](Random& random, double) { return deviation * normal(random); };
}

// Mostly 0, and `slow` in a share of the cases.
inline auto two_modes(double share, double slow) {
  return [share, slow](Random& random, double&) {
    return (uniform(random) < share ? slow : 0.0) + 0.01 * normal(random);
  };
}

// Student's t with two degrees of freedom, which has no variance.
inline double heavy_sample(Random& random, double&) {
  return 0.03 * std::student_t_distribution<double>(2)(random);
}

// A tenth of the samples is late, some of them very.
inline double spiky_sample(Random& random, double&) {
  const double late = uniform(random) < 0.1 ? 0.05 / std::sqrt(1 - uniform(random)) : 0;
  return late + 0.01 * normal(random);
}

// Each sample resembles the one before: AR(1) with ρ = 0.9 and a deviation of 5 % over all.
inline double slow_sample(Random& random, double& state) {
  constexpr double correlation = 0.9, deviation = 0.05;
  if (state == 0) state = deviation * normal(random);
  state =
      correlation * state + deviation * std::sqrt(1 - correlation * correlation) * normal(random);
  return state;
}

inline std::vector<NoiseModel> noise_models() {
  const auto slow_path = [](Random& random, double) { return uniform(random) < 0.3 ? 0.1 : 0.0; };
  const auto drift = [](Random& random, double turn) {
    return 0.01 * turn + 0.01 * normal(random);
  };
  const auto mixed = [](Random& random, double& state) {
    return heavy_sample(random, state) + (uniform(random) < 0.3 ? 0.15 : 0.0);
  };
  return {{"per operation, 1 %", no_level, per_operation(0.01)},
          {"per operation, 5 %", no_level, per_operation(0.05)},
          {"per operation, 15 %", no_level, per_operation(0.15)},
          {"heavy tails", no_level, heavy_sample},
          {"late samples", no_level, spiky_sample},
          {"two modes, half", no_level, two_modes(0.5, 0.2)},
          {"two modes, a fifth", no_level, two_modes(0.2, 0.3)},
          {"AR(1)", no_level, slow_sample},
          {"offset, 2 %", offset(0.02), per_operation(0.01)},
          {"offset, 5 %", offset(0.05), per_operation(0.01)},
          {"offset, AR(1)", offset(0.03), slow_sample},
          {"a slow path in some runs", slow_path, per_operation(0.01)},
          {"mixed, with an offset", offset(0.03), mixed},
          {"drift from run to run", drift, per_operation(0.02)}};
}

// One run: [row][sample] times in microseconds, of which 100 is typical. Half of the run's offset
// is common to all rows, and half is each row's own.
inline std::vector<std::vector<double>> invented_run(const NoiseModel& model, Random& random,
                                                     int rows, int samples, double turn = 0) {
  const double common = model.level(random, turn);
  std::vector<std::vector<double>> times(static_cast<size_t>(rows));
  for (size_t row = 0; row < times.size(); ++row) {
    const double level = row % 2 == 0 ? common : model.level(random, turn);
    double state = 0;
    for (int i = 0; i < samples; ++i)
      times[row].push_back(100 * std::exp(level + model.sample(random, state)));
  }
  return times;
}

}  // namespace slipway::bandwidth
