#include "nccl-tests/verdict.h"

#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/sample.h"

using namespace slipway;
using namespace slipway::bandwidth;

namespace {

constexpr int64_t mib = 1 << 20;

// 100 GB/s, less 10 %, at 1 MiB on two nodes.
NodeProfile::ExpectedBandwidth expected() {
  return {"all_gather", 2, mib, 100, 0.1, "measured by hand", "tcpxo"};
}

std::string line(std::optional<NodeProfile> profile, const std::vector<Row>& rows) {
  Setup setup = sample_setup();
  setup.profile = std::move(profile);
  return verdict_line(judge(setup, rows));
}

}  // namespace

TEST_CASE("verdict: both placements above the floor, noise included, pass") {
  CHECK(line(sample_profile({expected()}), {sample_row(mib, 98, 120)}) ==
        "# Verdict: pass (busbw 98.00 GB/s out of place at 1048576 bytes reaches 90.00: with 95 % "
        "confidence it is at least 90.26 (expected 100 less 10 %, measured by hand); busbw 120.00 "
        "GB/s in place at 1048576 bytes reaches 90.00: with 95 % confidence it is at least 110.53 "
        "(expected 100 less 10 %, measured by hand))\n");
}

TEST_CASE("verdict: one placement below the floor fails, and the reason says which") {
  Setup setup = sample_setup();
  setup.profile = sample_profile({expected()});
  const Verdict verdict = judge(setup, {sample_row(mib, 120, 81)});
  CHECK(verdict.outcome == Outcome::fail);
  REQUIRE(verdict.reasons.size() == 2);
  CHECK(verdict.reasons[1] ==
        "busbw 81.00 GB/s in place at 1048576 bytes is below 90.00: with 95 % confidence it is at "
        "most 89.34 (expected 100 less 10 %, measured by hand)");
}

TEST_CASE(
    "verdict: a placement that may be above or below is too noisy, and says what would tell") {
  Setup setup = sample_setup();
  setup.profile = sample_profile({expected()});
  const Verdict verdict = judge(setup, {sample_row(mib, 120, 92)});
  CHECK(verdict.outcome == Outcome::too_noisy);
  CHECK(runs_needed(verdict.judged) == 16);
  CHECK_THAT(verdict.reasons.at(1), ContainsSubstring("and about 16 runs would tell"));
  CHECK_THAT(verdict.reasons.at(2), ContainsSubstring("bandwidth_compare --figures"));
  // Many samples that agree say no more about other runs; samples that do not agree widen it.
  Row row = sample_row(mib, 120, 98);
  row.in_place.samples_us.assign(20, row.in_place.time.us);
  CHECK(judge(setup, {row}).outcome == Outcome::pass);
  for (size_t i = 0; i < 20; i += 2) row.in_place.samples_us[i] *= 1.5;
  CHECK(judge(setup, {row}).outcome == Outcome::too_noisy);
}

TEST_CASE("verdict: a single sample of few operations is less certain than one of twenty") {
  Setup setup = sample_setup();
  setup.profile = sample_profile({expected()});
  const std::vector<Row> rows = {sample_row(mib, 104, 104)};
  CHECK(judge(setup, rows).outcome == Outcome::pass);
  setup.options.timing.iterations = 1;
  CHECK(judge(setup, rows).outcome == Outcome::too_noisy);
  setup.options.timing.iterations = 20;
  setup.options.timing.mode = Mode::isolated;
  CHECK(judge(setup, rows).outcome == Outcome::too_noisy);
}

TEST_CASE("verdict: data that went over NVLink is not judged by the network's figure") {
  Setup setup = sample_setup();
  setup.profile = sample_profile({expected()});
  setup.backend = {"nccl", "gpu", "NCCL 2.28.9"};
  setup.transport = "P2P/MNNVL";
  CHECK(verdict_line(judge(setup, {sample_row(mib, 120, 120)})) ==
        "# Verdict: not judged (the data went over P2P/MNNVL, and the expected figure is for the "
        "network between nodes)\n");
  setup.transport = "NET/gIB, P2P/CUMEM";
  CHECK(judge(setup, {sample_row(mib, 120, 120)}).outcome == Outcome::pass);
}

TEST_CASE("verdict: the GPUs of one node are judged by what NVLink reaches between them") {
  NodeProfile::ExpectedBandwidth inside = expected();
  inside.nodes = 1;
  inside.transport = "";
  Setup setup = sample_setup();
  setup.profile = sample_profile({expected(), inside});
  setup.backend = {"nccl", "gpu", "NCCL 2.28.9"};
  setup.transport = "P2P/CUMEM";
  setup.ranks[1].host = setup.ranks[0].host;
  CHECK(judge(setup, {sample_row(mib, 120, 120)}).outcome == Outcome::pass);
  CHECK(judge(setup, {sample_row(mib, 50, 120)}).outcome == Outcome::fail);
  // What holds on one node says nothing about two.
  setup = sample_setup();
  setup.profile = sample_profile({inside});
  CHECK(verdict_line(judge(setup, {sample_row(mib, 120, 120)})) ==
        "# Verdict: not judged (no expected figure for all_gather on 2 nodes of a3-megagpu-8g; the "
        "one for 1 node holds on no more)\n");
}

TEST_CASE("verdict: a later figure that passes does not hide an earlier failure") {
  NodeProfile::ExpectedBandwidth small = expected();
  small.size_bytes = 1024;
  small.busbw_gb_per_s = 1;
  Setup setup = sample_setup();
  setup.profile = sample_profile({expected(), small});
  CHECK(judge(setup, {sample_row(1024, 2, 2), sample_row(mib, 1, 1)}).outcome == Outcome::fail);
}

TEST_CASE("verdict: a size that rounding reduced still matches the requested size") {
  Row row = sample_row(mib, 100, 100);
  row.shape = all_gather.shape(mib, 4, 3);
  CHECK(row.shape.size_bytes == 1048560);
  Setup setup = sample_setup();
  setup.profile = sample_profile({expected()});
  CHECK(judge(setup, {row}).outcome == Outcome::pass);
}

TEST_CASE("verdict: not judged without a node profile") {
  CHECK(line(std::nullopt, {sample_row(mib, 100, 100)}) ==
        "# Verdict: not judged (no node profile on this node)\n");
}

TEST_CASE("verdict: not judged without a figure for this collective and number of nodes") {
  NodeProfile::ExpectedBandwidth other_nodes = expected(), other_collective = expected();
  other_nodes.nodes = 4;
  other_collective.collective = "all_reduce";
  NodeProfile profile = sample_profile({other_nodes, other_collective});
  CHECK(line(profile, {sample_row(mib, 100, 100)}) ==
        "# Verdict: not judged (no expected figure for all_gather on 2 nodes of a3-megagpu-8g; "
        "there is one for 4 nodes)\n");
  profile.target = "local";
  profile.expected_bandwidth = {other_collective};
  CHECK(line(profile, {sample_row(mib, 100, 100)}) ==
        "# Verdict: not judged (no expected figure for all_gather on 2 nodes of a3-megagpu-8g in a "
        "local cluster)\n");
}

TEST_CASE("verdict: with a control, the ratio is judged and not the bandwidth") {
  Setup setup = sample_setup();
  setup.profile = sample_profile({expected()});
  setup.profile->bandwidth_control = {"loopback", 0.1, mib, "measured by hand"};
  setup.control = ControlledRun{
      .size_bytes = mib, .busbw_gb_per_s = 0.3, .control_gb_per_s = 0.6, .ratio = 0.5, .rounds = 7};
  const std::vector<Row> rows = {sample_row(mib, 0.3, 0.3)};
  CHECK(verdict_line(judge(setup, rows)) ==
        "# Verdict: pass (busbw 0.30 GB/s at 1048576 bytes is 0.50 of what this machine moves "
        "over loopback, 0.60 GB/s (0.50 to 0.50 with 95 % confidence); at least 0.1 is "
        "expected)\n");
  setup.control->ratio_interval = Interval{0.08, 0.9};
  CHECK(judge(setup, rows).outcome == Outcome::too_noisy);
  setup.control.reset();
  CHECK(verdict_line(judge(setup, {sample_row(1024, 0.3, 0.3)})) ==
        "# Verdict: not judged (sizes below 1048576 bytes measure latency, not bandwidth)\n");
  setup.control = ControlledRun{.size_bytes = mib, .ratio = 0.099};
  CHECK(judge(setup, rows).outcome == Outcome::fail);
  CHECK(judge(setup, {sample_row(mib, 0.3, 0.3, 1)}).reasons[0] == "2 elements arrived wrong");
}

TEST_CASE("verdict: host memory is not judged against a figure for GPUs") {
  NodeProfile profile = sample_profile({expected()});
  profile.gpus.count = 8;
  CHECK(line(profile, {sample_row(mib, 1, 1)}) ==
        "# Verdict: not judged (the expected figure for all_gather on a3-megagpu-8g is for GPU "
        "memory, this run measured host memory)\n");
}

TEST_CASE("verdict: not judged when no size reaches the figure's") {
  CHECK(line(sample_profile({expected()}), {sample_row(mib / 2, 1, 1)}) ==
        "# Verdict: not judged (the expected figure holds from 1048576 bytes on, which were not "
        "run)\n");
  Setup setup = sample_setup();
  setup.profile = sample_profile({expected()});
  CHECK(judge(setup, {sample_row(2 * mib, 1, 1)}).outcome == Outcome::fail);
}

TEST_CASE("verdict: data that was not checked is not judged, however fast it was") {
  CHECK(line(sample_profile({expected()}), {sample_row(mib, 100, 100, std::nullopt)}) ==
        "# Verdict: not judged (the data was not checked)\n");
}

TEST_CASE("verdict: wrong data fails, with a profile or without") {
  const std::vector<Row> rows = {sample_row(mib, 100, 100), sample_row(2 * mib, 100, 100, 3)};
  CHECK(line(std::nullopt, rows) == "# Verdict: fail (6 elements arrived wrong)\n");
  CHECK(line(sample_profile({expected()}), rows) == "# Verdict: fail (6 elements arrived wrong)\n");
}

TEST_CASE("verdict: one rank alone is not judged") {
  Setup setup = sample_setup();
  setup.ranks.pop_back();
  CHECK(verdict_line(judge(setup, {sample_row(mib, 0, 0)})) ==
        "# Verdict: not judged (one rank alone moves no data to another)\n");
}

TEST_CASE("verdict: a fallback to sockets fails, and the reason names the cause") {
  Setup setup = sample_setup();
  setup.profile = sample_profile({expected()});
  setup.transport = "NET/Socket, P2P/CUMEM";
  const Verdict verdict = judge(setup, {sample_row(mib, 120, 120)});
  CHECK(verdict.outcome == Outcome::fail);
  CHECK(
      verdict.reasons ==
      std::vector<std::string>{
          "the data went over NET/Socket, P2P/CUMEM: NCCL fell back to sockets, although this node "
          "is configured for the transport tcpxo"});
}

TEST_CASE("verdict: a figure for another transport is ignored") {
  NodeProfile profile = sample_profile({expected()});
  profile.transport.name = "socket";
  CHECK(line(profile, {sample_row(mib, 1, 1)}) ==
        "# Verdict: not judged (no expected figure for all_gather on 2 nodes of a3-megagpu-8g)\n");
}

TEST_CASE("verdict: virtual time is judged although no data was checked") {
  Setup setup = sample_setup();
  setup.backend = {"sim", "gpu", "virtual time"};
  setup.profile = sample_profile({expected()});
  CHECK(judge(setup, {sample_row(mib, 120, 120, std::nullopt)}).outcome == Outcome::pass);
}
