// Whether the pairs of a scan reach what the machine type is known to reach.
#include "nccl-tests/scan_floor.h"

#include <algorithm>

#include "common/median.h"
#include "nccl-tests/collective.h"

namespace slipway::bandwidth {
namespace {

Setup setup_of(const ScannedPairs& how) {
  Setup setup;
  setup.collective = &collective_of(Kind::all_gather);
  setup.backend = how.backend;
  setup.profile = how.profile;
  setup.transport = how.transport;
  for (int rank = 0; rank < how.ranks; ++rank) {
    RankInfo info;
    info.rank = rank;
    info.host = rank < how.ranks / 2 ? "a" : "b";
    setup.ranks.push_back(info);
  }
  setup.all_ranks = setup.ranks;
  return setup;
}

// The row of a run whose samples are the pairs.
Row row_of(const ScannedPairs& how, const std::vector<double>& busbw) {
  const Collective& collective = collective_of(Kind::all_gather);
  Row row;
  row.requested_bytes = how.bytes;
  row.of = {&collective, parse_datatypes("float").front(), std::nullopt, std::nullopt};
  row.shape = collective.shape(how.bytes, row.of.datatype.bytes, how.ranks);
  const double factor = collective.busbw_factor(how.ranks);
  Placement& placement = row.out_of_place;
  placement.busbw_gb_per_s = median(busbw);
  placement.algbw_gb_per_s = placement.busbw_gb_per_s / factor;
  for (const double one : busbw) {
    placement.samples_us.push_back(static_cast<double>(row.shape.size_bytes) * factor / one / 1e3);
  }
  placement.time.us = median(placement.samples_us);
  placement.time.min_us = std::ranges::min(placement.samples_us);
  placement.time.max_us = std::ranges::max(placement.samples_us);
  placement.wrong = 0;
  row.in_place = placement;  // the figures hold for both
  return row;
}

}  // namespace

Verdict judge_pairs(const ScannedPairs& how, const std::vector<PairResult>& results) {
  std::vector<double> busbw;
  for (const PairResult& result : results) {
    if (result.busbw_gb_per_s) busbw.push_back(*result.busbw_gb_per_s);
  }
  if (busbw.empty()) return {Outcome::not_judged, {"no pair was measured"}};
  return judge(setup_of(how), {row_of(how, busbw)});
}

std::optional<int64_t> judged_size(const ScannedPairs& how) {
  std::optional<int64_t> smallest;
  for (const auto& figure : expected_of(setup_of(how))) {
    smallest = std::min(smallest.value_or(figure.size_bytes), figure.size_bytes);
  }
  return smallest;
}

}  // namespace slipway::bandwidth
