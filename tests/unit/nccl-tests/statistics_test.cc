#include "nccl-tests/statistics.h"

#include <numeric>
#include <vector>

#include "tests/unit/catch.h"

using namespace slipway::bandwidth;
using Values = std::vector<double>;

namespace {

Values one_to(int n) {
  Values values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

}  // namespace

TEST_CASE("statistics: median and MAD of an odd and an even number of values") {
  const Statistics odd = describe(Values{5, 1, 9, 2, 3});
  CHECK(odd.median == 3);
  CHECK(odd.mad == 2);
  CHECK(odd.least == 1);
  CHECK(odd.most == 9);
  CHECK(describe(Values{4, 1, 2, 3}).median == 2.5);
}

TEST_CASE("statistics: fewer than six values give no interval of the median") {
  CHECK(!describe(one_to(5)).interval.has_value());
  const Statistics six = describe(one_to(6));
  REQUIRE(six.interval.has_value());  // 1 - 2 / 2^6 = 0.97
  CHECK(six.interval->low == 1);
  CHECK(six.interval->high == 6);
}

TEST_CASE("statistics: intervals are those of the tables of order statistics") {
  // Conover, Practical Nonparametric Statistics, for the median at 95 %: 10: 2nd and 9th; 20: 6th
  // and 15th; 50: 18th and 33rd.
  const std::pair<int, Interval> wants[] = {{10, {2, 9}}, {20, {6, 15}}, {50, {18, 33}}};
  for (const auto& [n, want] : wants) {
    const Statistics found = describe(one_to(n));
    REQUIRE(found.interval.has_value());
    CHECK(found.interval->low == want.low);
    CHECK(found.interval->high == want.high);
  }
}

TEST_CASE("statistics: for many values, the approximation continues the exact sum") {
  const Statistics before = describe(one_to(1000)), after = describe(one_to(1001));
  CHECK(std::abs(after.interval->low - before.interval->low) <= 1);
}

TEST_CASE("statistics: percentiles exist only if the sample has values beyond them") {
  CHECK(!describe(one_to(19)).p95.has_value());
  CHECK(describe(one_to(20)).p95 == 19);
  CHECK(!describe(one_to(99)).p99.has_value());
  CHECK(describe(one_to(100)).p99 == 99);
}

TEST_CASE("statistics: a value far from the others is an outlier, and moves the median little") {
  Values values(20, 10);
  for (size_t i = 0; i < values.size(); ++i) values[i] += 0.1 * static_cast<double>(i % 3);
  values[7] = 1000;
  const Statistics found = describe(values);
  CHECK(found.outliers == 1);
  CHECK(found.median < 10.2);
  CHECK(!found.drift);
}

TEST_CASE("statistics: values that rise in time are a drift; shuffled, they are not") {
  CHECK(describe(one_to(40)).drift);
  Values shuffled;
  for (int i = 0; i < 40; ++i) shuffled.push_back((i * 17) % 40);
  CHECK(!describe(shuffled).drift);
}

TEST_CASE("statistics: a half width is a share of the median") {
  CHECK(relative_half_width(describe(one_to(10))) == Approx(3.5 / 5.5));
  CHECK(!relative_half_width(describe(one_to(3))).has_value());
}

TEST_CASE("statistics: single iterations have nccl-tests' median, percentiles and deviation") {
  const IterationTimes times = iteration_times({4, 1, 3, 2});
  CHECK(times.least_us == 1);
  CHECK(times.most_us == 4);
  CHECK(times.p50_us == 3);  // the upper one of two
  CHECK(times.p95_us == 4);
  CHECK(times.p99_us == 4);
  CHECK(times.mean_us == 2.5);
  CHECK(times.deviation_us == Approx(std::sqrt(1.25)));
  std::vector<double> many(200);
  for (size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i + 1);
  CHECK(iteration_times(many).p95_us == 190);
  CHECK(iteration_times(many).p99_us == 198);
  CHECK(iteration_times({}).deviation_percent() == 0);
}
