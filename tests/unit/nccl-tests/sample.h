// An invented run for the tests of table, verdict and report.
#pragma once

#include <string>
#include <vector>

#include "nccl-tests/collective.h"
#include "nccl-tests/summary.h"

namespace slipway::bandwidth {

inline const Collective& all_gather = collective_of(Kind::all_gather);

inline NodeProfile sample_profile(std::vector<NodeProfile::ExpectedBandwidth> expected = {}) {
  NodeProfile profile;
  profile.deployment = "quick";
  profile.cluster = "quick";
  profile.role = "compute";
  profile.target = "google";
  profile.machine_type = "a3-megagpu-8g";
  profile.transport.name = "tcpxo";
  profile.expected_bandwidth = std::move(expected);
  return profile;
}

// Two ranks on two nodes.
inline Setup sample_setup() {
  Setup setup;
  setup.collective = &all_gather;
  setup.options.sweep = {.min_bytes = 8, .max_bytes = 64, .step_factor = 2};
  setup.options.datatypes = parse_datatypes("float");
  setup.backend = {"mpi", "host", "Open MPI v4.1.4"};
  setup.ranks = {{0, 6514, "vm", 0, "host memory", "Some CPU"},
                 {1, 123456, "quick-a3meganodeset-1", 0, "host memory", "Some CPU"}};
  setup.started_utc = "2026-11-21T08:15:29Z";
  return setup;
}

// `busbw` out of place and in place, at `bytes` on two ranks.
inline Row sample_row(int64_t bytes, double busbw_out, double busbw_in,
                      std::optional<int64_t> wrong = 0) {
  const auto placement = [&](double busbw) {
    const double mean_us = static_cast<double>(bytes) / 2 / 1e3 / busbw;
    Placement result;
    result.time = {mean_us, mean_us, mean_us};
    result.algbw_gb_per_s = busbw * 2;
    result.busbw_gb_per_s = busbw;
    result.wrong = wrong;
    result.wrong_runs = wrong.value_or(0) == 0 ? 0 : 1;
    result.samples_us = {mean_us};
    return result;
  };
  return {.requested_bytes = bytes,
          .shape = all_gather.shape(bytes, 4, 2),
          .of = {&all_gather, {"float", 4}, std::nullopt, std::nullopt},
          .out_of_place = placement(busbw_out),
          .in_place = placement(busbw_in)};
}

}  // namespace slipway::bandwidth
