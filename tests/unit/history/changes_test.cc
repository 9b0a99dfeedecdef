#include "launcher/history/changes.h"

#include <cmath>
#include <functional>
#include <random>

#include "common/distributions.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::history;

namespace {

// The share of histories in which a step is found.
double share_with_step(int histories, size_t runs, const std::function<double(size_t)>& value) {
  int found = 0;
  for (int i = 0; i < histories; ++i) {
    std::vector<double> values;
    for (size_t run = 0; run < runs; ++run) values.push_back(value(run));
    if (!find_steps(values, 0.01, 0.05).empty()) ++found;
  }
  return static_cast<double>(found) / histories;
}

}  // namespace

TEST_CASE("student: the distribution is that of tables and of R") {
  CHECK(student_two_sided(12.706, 1) == Approx(0.05).epsilon(1e-3));
  CHECK(student_two_sided(2.228, 10) == Approx(0.05).epsilon(1e-3));
  CHECK(student_two_sided(-4.587, 10) == Approx(0.001).epsilon(1e-3));
  CHECK(student_two_sided(1.96, 1e6) == Approx(0.05).epsilon(1e-3));
  CHECK(student_two_sided(0, 5) == Approx(1));
  CHECK(student_two_sided(3, 0) == 1);
}

TEST_CASE("changes: a step is found where it is, and another one back") {
  const std::vector<double> values = {100,  101,  99.5, 100.2, 100.4, 90.3,  90.1,
                                      89.6, 90.2, 90.4, 100.1, 99.8,  100.3, 100.2};
  const std::vector<Step> steps = find_steps(values, 0.03, 0.05);
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].at == 5);
  CHECK(steps[0].ratio == Approx(0.9).epsilon(0.01));
  CHECK(steps[1].at == 10);
  CHECK(steps[1].ratio == Approx(1.11).epsilon(0.01));
}

TEST_CASE("changes: a step that is smaller than asked for is ignored") {
  CHECK(find_steps({100, 100.1, 99.9, 100, 98, 98.1, 97.9, 98}, 0.03, 0.05).empty());
  CHECK(find_steps({100, 100.1, 99.9, 100, 98, 98.1, 97.9, 98}, 0.01, 0.05).size() == 1);
}

TEST_CASE("changes: few values give no step, whatever they are") {
  CHECK(find_steps({}, 0.03, 0.05).empty());
  CHECK(find_steps({100, 1, 1, 1}, 0.03, 0.05).empty());
  CHECK(find_steps({100, 100, 100, 50}, 0.03, 0.05).empty());
}

TEST_CASE("changes: equal runs give a step in about one of twenty histories, in any noise") {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> heavy(3);
  std::uniform_real_distribution<double> even(0, 1);
  for (const size_t runs : {6U, 12U, 30U}) {
    INFO(runs << " runs");
    for (const double noise : {0.002, 0.01, 0.05}) {
      CHECK(share_with_step(400, runs, [&](size_t) { return std::exp(noise * normal(random)); }) <=
            0.08);
    }
    CHECK(share_with_step(400, runs, [&](size_t) { return std::exp(0.01 * heavy(random)); }) <=
          0.08);
    CHECK(share_with_step(400, runs, [&](size_t) { return even(random) < 0.3 ? 0.9 : 1.0; }) <=
          0.08);
  }
  double last = 0;
  CHECK(share_with_step(400, 30, [&](size_t run) {  // noise that stays
          last = run == 0 ? normal(random) : 0.5 * last + std::sqrt(0.75) * normal(random);
          return std::exp(0.02 * last);
        }) <= 0.12);
}

TEST_CASE("changes: a drop of 10 % is found in noise of 2 %") {
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  const double found = share_with_step(200, 20, [&](size_t run) {
    return (run < 12 ? 1.0 : 0.9) * std::exp(0.02 * normal(random));
  });
  CHECK(found > 0.98);
}

TEST_CASE("changes: one low value at the end is not a step, and is noticed") {
  const std::vector<double> values = {100, 100.4, 99.8, 100.1, 99.9, 100.2, 88};
  CHECK(find_steps(values, 0.03, 0.05).empty());
  CHECK(is_last_low(values, 0.03, 0.05));
  CHECK_FALSE(is_last_low({100, 100.4, 99.8, 100.1, 99.9, 100.2, 99.7}, 0.03, 0.05));
  CHECK_FALSE(is_last_low({100, 100, 88}, 0.03, 0.05));
}
