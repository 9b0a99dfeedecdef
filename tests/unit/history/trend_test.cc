#include "launcher/history/trend.h"

#include <cmath>
#include <random>

#include "tests/unit/catch.h"
#include "tests/unit/history/sample_runs.h"

using namespace slipway::history;
using slipway::test::sample_run;

namespace {

// 20 runs in noise of 1 %, with a new driver from run 12 on.
std::vector<RunRecord> history_of(double ratio) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 0.01);
  std::vector<RunRecord> runs;
  for (int i = 0; i < 20; ++i) {
    const double speed = 188 * std::exp(normal(random)) * (i < 12 ? 1 : ratio);
    runs.push_back(sample_run(i, speed, i < 12 ? "550.90.07" : "560.35.03"));
  }
  return runs;
}

}  // namespace

TEST_CASE("trend: a regression is shown with its begin and the version that changed then") {
  const std::vector<Trend> trends = find_trends(history_of(0.93), 0.03);
  REQUIRE(trends.size() == 1);
  CHECK(has_regression(trends[0]));
  REQUIRE(trends[0].series.size() == 3);
  CHECK(trends[0].series[0].what == "large sizes together");
  const Series& largest = trends[0].series[2];
  CHECK(largest.size_bytes == int64_t{8} << 30);
  REQUIRE(largest.regression);
  CHECK(largest.regression->since == 12);
  CHECK(largest.regression->baseline_gb_per_s == Approx(188).epsilon(0.01));
  CHECK(largest.regression->now_gb_per_s == Approx(175).epsilon(0.01));
  REQUIRE(largest.regression->with.size() == 1);
  CHECK(text_of(largest.regression->with[0]) == "driver 550.90.07 -> 560.35.03");
}

TEST_CASE("trend: equal runs and faster runs are not a regression") {
  CHECK_FALSE(has_regression(find_trends(history_of(1), 0.03)[0]));
  CHECK_FALSE(has_regression(find_trends(history_of(1.1), 0.03)[0]));
}

TEST_CASE("trend: what has become fast again is not a regression") {
  std::vector<RunRecord> runs = history_of(0.9);
  for (int i = 20; i < 28; ++i) runs.push_back(sample_run(i, 188 + i % 3, "565.57.01"));
  CHECK_FALSE(has_regression(find_trends(runs, 0.03)[0]));
}

TEST_CASE("trend: runs under other conditions are not compared") {
  std::vector<RunRecord> runs = history_of(0.5);
  for (size_t i = 12; i < runs.size(); ++i) runs[i].conditions = "tcp, pipelined";
  const std::vector<Trend> trends = find_trends(runs, 0.03);
  REQUIRE(trends.size() == 2);
  CHECK_FALSE(has_regression(trends[0]));
  CHECK_FALSE(has_regression(trends[1]));
}

TEST_CASE("trend: a version that is unknown on one side is a change, too") {
  RunRecord before = sample_run(1, 1, "a"), after = sample_run(2, 1, "a");
  before.versions.erase("image");
  const auto changes = changed_versions(before, after);
  REQUIRE(changes.size() == 1);
  CHECK(text_of(changes[0]) == "image ? -> slurm-12");
}

TEST_CASE("trend: without runs, or with too few, nothing is found") {
  CHECK(find_trends({}, 0.03).empty());
  CHECK_FALSE(
      has_regression(find_trends({sample_run(1, 1, "a"), sample_run(2, 0.1, "a")}, 0.03)[0]));
}
