#include "nccl-tests/scan_floor.h"

#include "nccl-tests/scan_verdict.h"
#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/sample.h"

using namespace slipway;
using namespace slipway::bandwidth;

namespace {

constexpr int64_t scanned_bytes = 1 << 20;

// Two nodes of one rank, 100 GB/s less 10 % at 1 MiB.
ScannedPairs measured_pairs(const std::string& transport) {
  ScannedPairs how;
  how.profile =
      sample_profile({{"all_gather", 2, scanned_bytes, 100, 0.1, "measured by hand", "tcpxo"}});
  how.backend = {.name = "sim", .memory = "gpu", .library = ""};
  how.transport = transport;
  how.bytes = scanned_bytes;
  return how;
}

// Pairs of 128 nodes, of which these many are slow.
std::vector<PairResult> pairs_at(double gb_per_s, double slow_gb_per_s = 0, int slow = 0) {
  std::vector<PairResult> results;
  for (int i = 0; i < 64; ++i)
    results.push_back({0, {2 * i, 2 * i + 1}, (i * 37) % 64 < slow ? slow_gb_per_s : gb_per_s, ""});
  return results;
}

}  // namespace

TEST_CASE("scan floor: a cluster that is slow as a whole fails, one as fast as known passes") {
  const ScannedPairs how = measured_pairs("NET/FasTrak");
  CHECK(judge_pairs(how, pairs_at(60)).outcome == Outcome::fail);
  CHECK(judge_pairs(how, pairs_at(99)).outcome == Outcome::pass);
  CHECK(judge_pairs(how, pairs_at(99, 60, 50)).outcome == Outcome::fail);
}

TEST_CASE("scan floor: sockets in place of the fast transport fail at any speed") {
  CHECK(judge_pairs(measured_pairs("NET/Socket"), pairs_at(99)).outcome == Outcome::fail);
}

TEST_CASE("scan floor: without a figure the cluster is not judged, and the reason says why") {
  ScannedPairs how = measured_pairs("NET/FasTrak");
  how.bytes = scanned_bytes / 4;
  CHECK_THAT(judge_pairs(how, pairs_at(1)).reasons.front(), ContainsSubstring("not run"));
  how.profile.reset();
  CHECK(judge_pairs(how, pairs_at(1)).outcome == Outcome::not_judged);
  CHECK(judge_pairs(how, {}).outcome == Outcome::not_judged);
}

TEST_CASE("scan floor: the size of a scan is the smallest with a figure") {
  CHECK(judged_size(measured_pairs("")) == scanned_bytes);
  CHECK(judged_size(ScannedPairs{}) == std::nullopt);
}

TEST_CASE("scan: a cluster below its floor is a finding, although its nodes are even") {
  const std::vector<ScanNode> nodes(128);
  ScanSettings settings;
  settings.too_slow = "the median pair: slow";
  const auto found = findings(nodes, pairs_at(60), settings);
  REQUIRE(!found.empty());
  CHECK(found[0].what == Finding::What::cluster);
  CHECK(result_of(nodes, pairs_at(60), settings) == ScanResult::found);
}
