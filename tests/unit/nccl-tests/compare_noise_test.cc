// Comparisons of equal runs under many kinds of noise, and of runs that differ by what a comparison
// says that it would find.
#include <cmath>
#include <cstdio>

#include <fmt/core.h>

#include "nccl-tests/compare_tests.h"
#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/noise.h"
#include "tests/unit/nccl-tests/study.h"

using namespace slipway::bandwidth;

namespace {

constexpr int noise_rows = 8, noise_samples = 10;

struct Plan {
  Design design;
  int before, after;
  bool in_turn;
};

struct Compared {
  std::vector<RowLevels> rows;
  RunTimes times;
};

// The order of the runs of a plan: true is a run of the second side.
std::vector<bool> order_of(const Plan& plan, Random& random) {
  std::vector<bool> order;
  if (plan.design == Design::pairs) {
    for (int i = 0; i < plan.before; ++i) {
      const bool after_first = (random() & 1) != 0;
      order.push_back(after_first);
      order.push_back(!after_first);
    }
    return order;
  }
  for (int i = 0; i < plan.before; ++i) order.push_back(false);
  for (int i = 0; i < plan.after; ++i) order.push_back(true);
  if (!plan.in_turn) return order;
  for (size_t i = 0; i < order.size(); ++i) order[i] = i % 2 == 1;
  return order;
}

// Runs of both sides; the second one's times are `slower`, a logarithm, longer.
Compared measure(const NoiseModel& model, const Plan& plan, Random& random, double slower = 0) {
  Compared result;
  result.rows.resize(noise_rows);
  result.times.in_turn = plan.in_turn;
  double turn = 0;
  for (const bool after : order_of(plan, random)) {
    const auto run = invented_run(model, random, noise_rows, noise_samples, turn);
    (after ? result.times.after : result.times.before).push_back(turn++);
    for (size_t row = 0; row < run.size(); ++row) {
      RunLevel level = run_level(run[row]);
      if (after) level.log_us += slower;
      (after ? result.rows[row].after : result.rows[row].before).push_back(level);
    }
  }
  return result;
}

bool alarms(const std::vector<RowResult>& results) {
  for (const RowResult& result : results) {
    if (result.p_slower_too_much <= false_alarms) return true;
  }
  return false;
}

// The share of comparisons that find the second side slower, which is so by `slower` in all rows.
// Nothing is tolerated (--allow 0).
double alarm_share(const NoiseModel& model, const Plan& plan, int times, uint64_t seed,
                   double slower = 0) {
  Random random(seed);
  int found = 0;
  for (int i = 0; i < times; ++i) {
    const Compared compared = measure(model, plan, random, slower);
    found += alarms(test_rows(compared.rows, plan.design, compared.times, 0));
  }
  return static_cast<double>(found) / times;
}

// What 5 % look like at most in so many tries, with 99.9 %.
double most_share(int times) {
  return 0.05 + 3.1 * std::sqrt(0.05 * 0.95 / times);
}

void expect_few_alarms(const Plan& plan, int times, uint64_t seed) {
  double sum = 0;
  const auto models = noise_models();
  for (const NoiseModel& model : models) {
    CAPTURE(model.name);
    const double share = alarm_share(model, plan, times, seed);
    sum += share;
    CHECK(share <= most_share(times));
  }
  const auto count = static_cast<double>(models.size());
  CHECK(sum / count <= most_share(times * static_cast<int>(models.size())));
}

const Plan in_pairs{Design::pairs, 6, 6, true}, alternating{Design::groups, 4, 4, true},
    one_after_the_other{Design::groups, 4, 4, false}, single{Design::assumed, 1, 1, false},
    two_each{Design::assumed, 2, 2, false};

}  // namespace

TEST_CASE("compare: pairs of equal runs raise a false alarm in at most 5 % of the reports",
          "[chance]") {
  expect_few_alarms(in_pairs, 120, 11);
}

TEST_CASE("compare: so do equal runs that alternate", "[chance]") {
  expect_few_alarms(alternating, 100, 12);
}

TEST_CASE("compare: so do equal runs of one side after those of the other, even if they drift",
          "[chance]") {
  expect_few_alarms(one_after_the_other, 200, 13);
}

TEST_CASE("compare: so do one and two runs a side", "[chance]") {
  expect_few_alarms(single, 300, 14);
  expect_few_alarms(two_each, 300, 15);
}

TEST_CASE("compare: single runs of which one in ten is 20 % slower raise few alarms", "[chance]") {
  const NoiseModel rare{"a much slower path in a tenth of the runs",
                        [](Random& random, double) { return uniform(random) < 0.1 ? 0.2 : 0.0; },
                        per_operation(0.02)};
  CHECK(alarm_share(rare, single, 300, 16) <= most_share(300));
  CHECK(alarm_share(rare, two_each, 300, 17) <= most_share(300));
}

TEST_CASE("compare: a slowdown as large as it says is found in about 80 % of the cases",
          "[chance]") {
  const NoiseModel models[] = {noise_models()[0], noise_models()[3], noise_models()[9]};
  for (const Plan& plan : {Plan{Design::pairs, 8, 8, true}, Plan{Design::groups, 6, 6, true}}) {
    for (const NoiseModel& model : models) {
      CAPTURE(model.name, plan.before);
      Random random(21);
      // What comparisons of equal runs promise on average.
      double promised = 0;
      constexpr int promises = 25, tries = 60;
      for (int i = 0; i < promises; ++i) {
        const Compared equal = measure(model, plan, random);
        promised += test_rows(equal.rows, plan.design, equal.times, 0)[0].detectable / promises;
      }
      int found = 0;
      for (int i = 0; i < tries; ++i) {
        Compared compared = measure(model, plan, random);
        for (RunLevel& level : compared.rows[0].after) level.log_us += promised;
        const auto results = test_rows(compared.rows, plan.design, compared.times, 0);
        found += results[0].p_slower_too_much <= false_alarms;
      }
      CHECK(found >= tries * 0.65);
      CHECK(found <= tries * 0.97);
    }
  }
}

TEST_CASE("compare: a doubled time is found with one run a side, and 3 % with eight pairs") {
  Random random(31);
  const NoiseModel quiet = noise_models()[0];
  const Compared doubled = measure(quiet, single, random, std::log(2));
  CHECK(alarms(test_rows(doubled.rows, Design::assumed, doubled.times, 0.02)));
  const Plan eight{Design::pairs, 8, 8, true};
  const Compared little = measure(quiet, eight, random, 0.05);
  CHECK(alarms(test_rows(little.rows, Design::pairs, little.times, 0.02)));
  CHECK(!alarms(test_rows(little.rows, Design::pairs, little.times, 0.06)));
}

// Run by hand, with seeds that no other test has: unit_nccl_tests '[study]'. Other seeds:
// SLIPWAY_SEED; how many comparisons of each kind: SLIPWAY_COMPARISONS.
TEST_CASE("compare: false alarms and power by noise and design", "[.study]") {
  const int times = static_cast<int>(study_setting("SLIPWAY_COMPARISONS", 1000));
  for (const double slower : {0.0, 0.03, 0.1, 0.3}) {
    fmt::print("{:.0f} % slower\n", slower * 100);
    for (const NoiseModel& model : noise_models()) {
      fmt::print("{:48}", model.name);
      uint64_t seed = study_setting("SLIPWAY_SEED", 90'000);
      for (const Plan& plan : {in_pairs, Plan{Design::pairs, 8, 8, true}, alternating,
                               one_after_the_other, single, two_each})
        fmt::print(" {:6.1f} %", alarm_share(model, plan, times, ++seed, std::log1p(slower)) * 100);
      fmt::print("\n");
      std::fflush(stdout);
    }
  }
}
