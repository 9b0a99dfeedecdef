// What a scan says under noise: it names slow nodes and no others, or says that it cannot tell.
// Seeds are fixed; scan_study_test.cc looks at more of them.
#include "nccl-tests/scan_noise.h"

#include "nccl-tests/scan_evidence.h"
#include "nccl-tests/scan_fit.h"
#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/noisy_pairs.h"

using namespace slipway::bandwidth;

namespace {

std::vector<double> normal_sample(size_t count, double deviation) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, deviation);
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

}  // namespace

TEST_CASE("scan noise: the deviation of pairs is estimated, and outliers do not count") {
  std::vector<double> values = normal_sample(1000, 0.05);
  for (size_t i = 0; i < 50; ++i) values[i] = -2;
  const PairNoise noise(values, 100);
  CHECK(std::fabs(noise.deviation() - 0.05) < 0.006);
}

TEST_CASE("scan noise: more pairs show smaller drops, more units larger ones") {
  const PairNoise few(normal_sample(2000, 0.02), 16), many(normal_sample(2000, 0.02), 512);
  for (int pairs = 4; pairs < 12; ++pairs) {
    CHECK(few.detectable(pairs + 4) < few.detectable(pairs));
    CHECK(few.detectable(pairs) <= many.detectable(pairs));
  }
  const int needed = many.pairs_for(0.1);
  CHECK(many.detectable(needed) <= 0.1);
  CHECK(many.detectable(needed - 1) > 0.1);
  CHECK(PairNoise(normal_sample(2000, 0.9), 512).pairs_for(0.05) == 0);
}

TEST_CASE("scan noise: healthy units rarely fall below the lowest level") {
  const PairNoise noise(normal_sample(4000, 0.03), 100);
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal(0, 0.03);
  int below = 0;
  constexpr int scans = 400;
  for (int scan = 0; scan < scans; ++scan) {
    bool any = false;
    for (int unit = 0; unit < 100; ++unit) {
      std::vector<double> pairs(6);
      for (double& one : pairs) one = normal(random);
      any = any || level_of(pairs) < noise.lowest_level(6);
    }
    below += any ? 1 : 0;
  }
  CHECK(below <= scans / 20);
}

TEST_CASE("scan: where the noise allows it, no fault of 10 % is missed and no healthy node named",
          "[chance]") {
  for (const PairNoiseShape shape :
       {PairNoiseShape::operation, PairNoiseShape::pair, PairNoiseShape::heavy,
        PairNoiseShape::bimodal, PairNoiseShape::drifting, PairNoiseShape::round_offset}) {
    const ManyScans all =
        scan_many({.shape = shape, .deviation = 0.015, .scans = 5, .most_nodes = 200, .seed = 3});
    INFO("shape " << static_cast<int>(shape));
    CHECK(all.judged >= 4);
    CHECK(all.missed == 0);
    CHECK(all.faults > 10);
    CHECK(all.wrong == 0);
  }
}

TEST_CASE("scan: at 10 and 15 % noise of pairs it says that it cannot tell, and names no node",
          "[chance]") {
  for (const double deviation : {0.10, 0.15}) {
    for (const int faults : {0, 8}) {
      const ManyScans all = scan_many({.shape = PairNoiseShape::pair,
                                       .deviation = deviation,
                                       .scans = 4,
                                       .most_faults = faults});
      CHECK(all.judged == 0);
      CHECK(all.wrong == 0);
      CHECK(all.named_unjudged == 0);
    }
  }
}

TEST_CASE("scan: a scan that cannot tell says which drop it shows, and how many rounds it needs") {
  NoisyPairs world(128, PairNoiseShape::pair, 0.06, 5);
  world.make_slow(2, 0.39, 0.4);
  const ScanSettings settings{.seed = 2};
  const auto results = world.scan(settings);
  const auto found = findings(world.nodes, results, settings);
  REQUIRE(!found.empty());
  CHECK(found.back().what == Finding::What::too_noisy);
  CHECK_THAT(found.back().text, ContainsSubstring("% (standard deviation), so ") &&
                                    ContainsSubstring(", not of 10 %; about ") &&
                                    ContainsSubstring(" more would (--rounds "));
  for (const Finding& finding : found) CHECK(finding.what != Finding::What::node);
  // A larger loss can be found in the same results.
  const ScanSettings modest{.seed = 2, .detect = 0.35};
  for (const Finding& finding : findings(world.nodes, results, modest)) {
    CHECK(finding.what == Finding::What::node);
    CHECK(world.slow.contains(finding.nodes.front()));
  }
  CHECK(findings(world.nodes, results, modest).size() == 2);
}

TEST_CASE("scan: where a cluster has too few nodes to tell, more rounds are not advised") {
  NoisyPairs world(6, PairNoiseShape::pair, 0.06, 5);
  const auto found = findings(world.nodes, world.scan({}), {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].what == Finding::What::too_noisy);
  CHECK_THAT(found[0].text, ContainsSubstring(" others of each: scan more nodes"));
}

TEST_CASE("scan noise: a pair that is measured again shows no more of what is peculiar to it") {
  std::vector<Observation> observations;
  for (int round = 0; round < 5; ++round) {
    for (int a = 0; a < 4; ++a) {
      for (int b = a + 1; b < 4; ++b) {
        const double own = 0.02 * ((a * 4 + b) % 3) + 0.001 * (round % 2);
        observations.push_back({a, b, 0, round, own, static_cast<uint64_t>(a * 4 + b)});
      }
    }
  }
  const Fit again = fit_units(4, observations, 0.1);
  CHECK(again.units[0].pairs == 3);
  CHECK(again.units[0].measured == 15);
  CHECK(again.noise.size() == 6);
  for (size_t i = 0; i < observations.size(); ++i) observations[i].path = i;
  const Fit apart = fit_units(4, observations, 0.1);
  CHECK(apart.units[0].pairs == 15);
  CHECK(apart.detectable(0) < again.detectable(0));
}

TEST_CASE("scan: 272 slow nodes of 512 are found, and no healthy one is named") {
  NoisyPairs world(512, PairNoiseShape::operation, 0.01, 9);
  world.make_slow(272, 0.2, 0.2);
  const ScanSettings settings;
  std::set<int> named;
  for (const Finding& finding : findings(world.nodes, world.scan(settings), settings)) {
    if (finding.what == Finding::What::node) named.insert(finding.nodes.front());
  }
  CHECK(named == world.slow);
}

TEST_CASE("scan: nodes of which each has a speed of its own are not named") {
  for (const double deviation : {0.05, 0.15}) {
    for (const int faults : {0, 8}) {
      const ManyScans all = scan_many({.shape = PairNoiseShape::node_offset,
                                       .deviation = deviation,
                                       .scans = 10,
                                       .most_faults = faults,
                                       .most_nodes = 200,
                                       .seed = 31});
      INFO("deviation " << deviation << ", at most " << faults << " faults");
      CHECK(all.wrong_scans <= 1);
      CHECK(all.judged <= 2);
      CHECK(all.named_unjudged == 0);
    }
  }
}
