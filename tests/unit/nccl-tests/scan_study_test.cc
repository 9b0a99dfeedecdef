// Many scans of made-up clusters, with noise and seeds that the other tests lack. Test runs leave
// it out: `unit_nccl_tests '[.long]'` prints the table in
// docs/background/bandwidth-measurements.md. Other seeds: SLIPWAY_SEED; a share of the scans:
// SLIPWAY_SCANS.
#include <cstdio>

#include <fmt/core.h>

#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/noisy_pairs.h"
#include "tests/unit/nccl-tests/study.h"

using namespace slipway::bandwidth;

namespace {

struct Noise {
  PairNoiseShape shape;
  const char* name;
};

constexpr Noise noises[] = {
    {PairNoiseShape::operation, "of operations"},
    {PairNoiseShape::pair, "of pairs, lasting"},
    {PairNoiseShape::heavy, "heavy tails (Student's t, 3)"},
    {PairNoiseShape::bimodal, "one measurement in ten at 0.8"},
    {PairNoiseShape::drifting, "of nodes, AR(1) 0.9"},
    {PairNoiseShape::round_offset, "of rounds"},
    {PairNoiseShape::node_offset, "of nodes, lasting"},
    {PairNoiseShape::one_sided, "only slower (lognormal)"},
    {PairNoiseShape::two_routes, "a fifth of the pairs 2.5 times this slower"},
    {PairNoiseShape::late_pairs, "one measurement in twenty at 0.5"},
    {PairNoiseShape::block_offset, "of 16 neighbors, each round"},
    {PairNoiseShape::mixed, "of rounds, AR(1) and heavy tails at once"},
};

}  // namespace

TEST_CASE("scan: made-up clusters of 4 to 15 nodes with one fault of 5 to 40 %, or none",
          "[.small]") {
  const uint64_t seed = study_setting("SLIPWAY_SEED", 20261126);
  const int scans = static_cast<int>(study_setting("SLIPWAY_SCANS", 500));
  fmt::print("| noise | deviation | judged | faults missed | named a healthy node |\n");
  for (const Noise& noise : noises) {
    for (const double deviation : {0.01, 0.03, 0.1}) {
      ScanTrial trial{.shape = noise.shape,
                      .deviation = deviation,
                      .scans = scans,
                      .most_faults = 1,
                      .least_nodes = 4,
                      .most_nodes = 16,
                      .seed = seed};
      const ManyScans faulty = scan_many(trial);
      trial.most_faults = 0;
      const ManyScans healthy = scan_many(trial);
      fmt::print("| {} | {:.0f} % | {} of {} | {} of {} | {}, {} |\n", noise.name, deviation * 100,
                 faulty.judged + healthy.judged, 2 * scans, faulty.missed, faulty.faults,
                 faulty.wrong_scans, healthy.wrong_scans);
      std::fflush(stdout);
      CHECK(faulty.named_unjudged + healthy.named_unjudged == 0);
    }
  }
}

// As in a quickstart: four nodes share two processors, one is at a tenth, and all become faster and
// slower together, by a factor of 2.7 in both directions.
TEST_CASE("scan: four nodes of a cluster that wanders", "[.small]") {
  const uint64_t seed = study_setting("SLIPWAY_SEED", 20261126);
  const int scans = static_cast<int>(study_setting("SLIPWAY_SCANS", 500));
  for (const double of_nodes : {0.0, 0.2, 0.4}) {
    int named = 0, unclear = 0, wrong = 0;
    for (int i = 0; i < scans; ++i) {
      const uint64_t own_seed = seed * 1000003 + static_cast<uint64_t>(i);
      NoisyPairs world(4, PairNoiseShape::drifting, of_nodes, own_seed);
      world.capacity[2] = 0.1;
      std::mt19937_64 random(own_seed + 1);
      std::normal_distribution<double> normal(0, 0.5);
      const ScanSettings settings{.seed = own_seed, .detect = 0.8};
      std::vector<PairResult> results;
      double all = normal(random);
      for (;;) {
        const Round round = next_round(world.nodes, results, settings);
        if (round.empty()) break;
        all = 0.7 * all + std::sqrt(0.51) * normal(random);
        for (PairResult& one : world.measure(round, rounds_done(results))) {
          one.busbw_gb_per_s = *one.busbw_gb_per_s * std::exp(all);
          results.push_back(one);
        }
      }
      bool wrongly = false;
      for (const Finding& finding : findings(world.nodes, results, settings)) {
        unclear += finding.what == Finding::What::too_noisy ? 1 : 0;
        if (finding.what != Finding::What::node) continue;
        named += finding.nodes.front() == 2 ? 1 : 0;
        wrongly = wrongly || finding.nodes.front() != 2;
      }
      wrong += wrongly ? 1 : 0;
    }
    fmt::print(
        "nodes differ by {:.0f} %: {} scans, {} named the slow node, {} too noisy, {} named "
        "another\n",
        of_nodes * 100, scans, named, unclear, wrong);
  }
}

TEST_CASE("scan: made-up clusters of 16 to 512 nodes with 0 to 8 faults of 5 to 40 %", "[.long]") {
  const uint64_t seed = study_setting("SLIPWAY_SEED", 20261123);
  const int scans = static_cast<int>(study_setting("SLIPWAY_SCANS", 50));
  fmt::print("| noise | deviation | judged | faults missed | named a healthy node | rounds |\n");
  for (const Noise& noise : noises) {
    for (const double deviation : {0.01, 0.02, 0.03, 0.05, 0.1, 0.15}) {
      const ScanTrial trial{
          .shape = noise.shape, .deviation = deviation, .scans = scans, .seed = seed};
      ScanTrial of_healthy = trial;
      of_healthy.most_faults = 0;
      of_healthy.seed = seed + 1;
      const ManyScans faulty = scan_many(trial), healthy = scan_many(of_healthy);
      fmt::print("| {} | {:.0f} % | {} of {} | {} of {} | {} | {:.1f} |\n", noise.name,
                 deviation * 100, faulty.judged + healthy.judged, 2 * scans, faulty.missed,
                 faulty.faults, faulty.wrong_scans + healthy.wrong_scans,
                 static_cast<double>(faulty.rounds + healthy.rounds) / (2 * scans));
      std::fflush(stdout);
      CHECK(faulty.missed == 0);
      CHECK(faulty.named_unjudged + healthy.named_unjudged == 0);
      CHECK(faulty.wrong_scans + healthy.wrong_scans <= scans / 10);
    }
  }
}
