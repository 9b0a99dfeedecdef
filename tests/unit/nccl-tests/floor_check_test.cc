// Verdicts on bandwidths that are just above or just below their floor.
#include "nccl-tests/floor_check.h"

#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/noise.h"

using namespace slipway::bandwidth;

namespace {

struct WrongShare {
  double yes = 0, no = 0;
};

// A run's level of each row. A single sample is the mean of 20 operations, as with the default -n.
std::vector<RunLevel> levels_of_run(const NoiseModel& model, Random& random, int rows,
                                    int samples) {
  constexpr int operations = 20;
  std::vector<RunLevel> levels;
  for (auto& times : invented_run(model, random, rows, samples == 1 ? operations : samples)) {
    if (samples == 1) times = {std::accumulate(times.begin(), times.end(), 0.0) / operations};
    levels.push_back(run_level(times));
  }
  return levels;
}

// Judges two placements of `runs` runs whose bandwidth is 100 GB/s, against a floor that is
// `distance` below it.
WrongShare verdicts(const NoiseModel& model, int runs, int samples, double distance, int times,
                    uint64_t seed) {
  Random random(seed);
  // What infinitely many runs would show: the noise of most models is not symmetric.
  double truth = 0;
  constexpr int typical = 1500;
  for (int i = 0; i < typical; ++i)
    truth += levels_of_run(model, random, 1, samples)[0].log_us / typical;
  const double floor = 100 * std::exp(-distance);
  WrongShare share;
  for (int i = 0; i < times; ++i) {
    std::vector<RunLevel> levels[2];
    for (int run = 0; run < runs; ++run) {
      const auto rows = levels_of_run(model, random, 2, samples);
      for (size_t placement = 0; placement < 2; ++placement) {
        RunLevel level = rows[placement];
        level.log_us = std::log(100) - (level.log_us - truth);
        levels[placement].push_back(level);
      }
    }
    const Reached first = check_floor(levels[0], floor, 2).reached;
    const Reached second = check_floor(levels[1], floor, 2).reached;
    if (first == Reached::no || second == Reached::no)
      share.no += 1.0 / times;
    else if (first == Reached::yes && second == Reached::yes)
      share.yes += 1.0 / times;
  }
  return share;
}

double most_wrong(int times) {
  return wrong_verdicts + 3.1 * std::sqrt(wrong_verdicts * (1 - wrong_verdicts) / times);
}

RunLevel level_of_busbw(double gb_per_s) {
  RunLevel level;
  level.log_us = std::log(gb_per_s);
  return level;
}

FloorCheck judged(std::vector<double> busbw, double floor = 100) {
  std::vector<RunLevel> levels;
  for (const double one : busbw) levels.push_back(level_of_busbw(one));
  return check_floor(levels, floor, 2);
}

}  // namespace

TEST_CASE("verdict: just above or below the floor it is wrong in at most 5 % each way",
          "[chance]") {
  constexpr int times = 250;
  for (const NoiseModel& model : noise_models()) {
    CAPTURE(model.name);
    for (const auto& [runs, samples] : {std::pair(1, 1), {1, 10}, {4, 10}}) {
      CAPTURE(runs, samples);
      CHECK(verdicts(model, runs, samples, 0.006, times, 41).no <= most_wrong(times));
      CHECK(verdicts(model, runs, samples, -0.006, times, 42).yes <= most_wrong(times));
    }
  }
}

TEST_CASE("verdict: a run at the published figure passes, and one a fifth below it fails") {
  const FloorCheck passed = judged({188.54}, 169.92), failed = judged({151}, 169.92);
  CHECK(passed.reached == Reached::yes);
  CHECK(failed.reached == Reached::no);
  CHECK(judged({0.95 * 366.3}, 0.9 * 366.3).reached == Reached::unclear);
}

TEST_CASE("verdict: near the floor it is unclear, and says how many runs would tell") {
  const FloorCheck near = judged({104});
  CHECK(near.reached == Reached::unclear);
  REQUIRE(near.runs_needed);
  CHECK(*near.runs_needed == 7);
  CHECK(
      to_string(near) ==
      "may be above or below 100.00: it is between 95.79 and 114.71, and about 7 runs would tell");
  // Runs that agree do tell.
  CHECK(judged({104, 104.2, 103.9, 104.1, 103.8, 104, 104.3}).reached == Reached::yes);
  const FloorCheck nearer = judged({100.1});
  CHECK(!nearer.runs_needed);
  CHECK_THAT(to_string(nearer), ContainsSubstring("1000 runs would not tell"));
}

TEST_CASE("verdict: more runs that agree need less distance, and runs that differ need more") {
  CHECK(judged({105, 105}).reached == Reached::unclear);
  CHECK(judged({105, 105.1, 104.9, 105}).reached == Reached::yes);
  CHECK(judged({105, 125, 85, 105}).reached == Reached::unclear);
}

TEST_CASE("verdict: noise within a run widens its interval") {
  const NoiseModel noisy = noise_models()[2];
  Random random(43);
  const RunLevel level = run_level(invented_run(noisy, random, 1, 10)[0]);
  CHECK(level.error > 0.02);
  const RunLevel busbw = bandwidth_level(level, std::exp(level.log_us), 115);
  CHECK(check_floor(std::span(&busbw, 1), 100, 2).low_gb_per_s < judged({115}).low_gb_per_s);
  CHECK(std::exp(busbw.log_us) == Approx(115));
}

// Run by hand, with seeds that no other test has: unit_nccl_tests '[study]'
TEST_CASE("verdict: wrong verdicts by noise", "[.study]") {
  for (const NoiseModel& model : noise_models()) {
    fmt::print("{:28}", model.name);
    for (const auto& [runs, samples] : {std::pair(1, 1), {1, 10}, {2, 10}, {4, 10}, {8, 10}}) {
      const WrongShare above = verdicts(model, runs, samples, 0.006, 4000, 91'001);
      const WrongShare below = verdicts(model, runs, samples, -0.006, 4000, 91'002);
      fmt::print("  {:4.1f} {:4.1f} %", above.no * 100, below.yes * 100);
    }
    fmt::print("\n");
  }
}
