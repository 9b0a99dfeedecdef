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
