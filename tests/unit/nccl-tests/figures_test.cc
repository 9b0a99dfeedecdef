#include "nccl-tests/figures.h"

#include "nccl-tests/verdict.h"
#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/sample.h"

using namespace slipway;
using namespace slipway::bandwidth;

namespace {

constexpr int64_t gib = int64_t{1} << 30;

// Of two a3-megagpu-8g with 8 GPUs each, on up to 128 of them.
std::vector<NodeProfile::ExpectedBandwidth> published() {
  const NodeProfile::ExpectedBandwidth::MoreNodes more{128, 0.2, "rings"};
  return {{"all_gather", 2, gib, 183.1, 0.1, "a page", "tcpxo", 8, more},
          {"all_gather", 2, 8 * gib, 188.8, 0.1, "a page", "tcpxo", 8, more},
          {"all_reduce", 2, 16 * gib, 337.4, 0.1, "a page", "tcpxo", 8, {}}};
}

Setup on(int nodes, int ranks_per_node, Kind kind = Kind::all_gather) {
  Setup setup = sample_setup();
  setup.collective = &collective_of(kind);
  setup.profile = sample_profile(published());
  setup.ranks.clear();
  for (int node = 0; node < nodes; ++node) {
    for (int i = 0; i < ranks_per_node; ++i)
      setup.ranks.push_back(
          {static_cast<int>(setup.ranks.size()), 1, "node-" + std::to_string(node), i, "", ""});
  }
  return setup;
}

}  // namespace

TEST_CASE("figures: apply to the number of nodes and of ranks on each") {
  const RunFigures found = figures_of(on(2, 8));
  REQUIRE(found.figures.size() == 2);
  CHECK(found.figures[1].from_bytes == 8 * gib);
  CHECK(found.figures[1].floor_gb_per_s() == Approx(169.92));
  CHECK(found.figures[1].because.empty());
}

TEST_CASE("figures: one GPU a node is not judged by the figure for eight") {
  const RunFigures found = figures_of(on(2, 1));
  CHECK(found.figures.empty());
  CHECK(found.why_none ==
        "the expected figure for all_gather is for 8 ranks on each node, and this run has 1");
  Setup uneven = on(2, 8);
  uneven.ranks.pop_back();
  CHECK_THAT(figures_of(uneven).why_none,
             ContainsSubstring("and nodes of this run have different numbers"));
}

TEST_CASE(
    "figures: hold on more nodes from the same bytes per rank on, with the rule's tolerance") {
  const RunFigures found = figures_of(on(16, 8));
  REQUIRE(found.figures.size() == 2);
  CHECK(found.figures[0].from_bytes == 8 * gib);
  CHECK(found.figures[1].from_bytes == 64 * gib);
  CHECK(found.figures[0].floor_gb_per_s() == Approx(183.1 * 0.8));
  CHECK(found.figures[0].because == "measured on 2 nodes: rings");
  const auto expected = expected_of(on(16, 8));
  CHECK(expected.at(1).size_bytes == 64 * gib);
  CHECK(expected.at(1).tolerance == 0.2);
}

TEST_CASE("figures: without a rule, or beyond it, the reason says so") {
  CHECK(figures_of(on(129, 8)).why_none ==
        "no expected figure for all_gather on 129 nodes of a3-megagpu-8g; the one for 2 nodes "
        "holds on at most 128");
  CHECK(figures_of(on(4, 8, Kind::all_reduce)).why_none ==
        "no expected figure for all_reduce on 4 nodes of a3-megagpu-8g; the one for 2 nodes holds "
        "on no more");
  CHECK(figures_of(on(1, 8)).why_none ==
        "no expected figure for all_gather on 1 node of a3-megagpu-8g; there is one for 2 nodes");
  CHECK(figures_of(on(2, 8, Kind::alltoall)).why_none ==
        "no expected figure for alltoall on 2 nodes of a3-megagpu-8g");
}

TEST_CASE("figures: a size is judged by the largest figure that it reaches, once for each kind") {
  const std::vector<RunSize> sizes = {{"float", 512},  {"float", 1024}, {"float", 2048},
                                      {"float", 4096}, {"float", 8192}, {"half", 16384}};
  CHECK(judged_by(sizes, {1024, 4096}) == std::vector<std::optional<size_t>>{{}, 0, {}, 1, {}, 1});
  CHECK(judged_by(sizes, {32768}) == std::vector<std::optional<size_t>>(6));
}

TEST_CASE("figures: the verdict on more nodes cites why the figure holds") {
  Setup setup = on(4, 8);
  setup.backend = {"sim", "gpu", "virtual time"};
  Row row = sample_row(2 * gib, 170, 175);
  const Verdict verdict = judge(setup, {row});
  CHECK(verdict.outcome == Outcome::pass);
  CHECK_THAT(verdict.reasons.at(0),
             ContainsSubstring("(expected 183.1 less 20 %, a page, measured on 2 nodes: rings)"));
  CHECK(verdict_line(judge(setup, {sample_row(gib, 170, 175)})) ==
        "# Verdict: not judged (the expected figure holds from 2147483648 bytes on, which were not "
        "run)\n");
}
