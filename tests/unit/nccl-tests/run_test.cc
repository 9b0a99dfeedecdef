#include "nccl-tests/run.h"

#include <sstream>

#include <nlohmann/json.hpp>

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/fake_world.h"
#include "tests/unit/nccl-tests/sample.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::bandwidth;

namespace {

struct Ended {
  int status = -1;
  std::string error;   // of the rank that prints it
  int speakers = 0;    // ranks that would print it
  std::string output;  // of rank 0
  bool silent = true;  // true if no other rank wrote any
};

struct WholeRun {
  FakeWorld::Settings world = {};
  std::vector<std::string> args = {};
  std::filesystem::path node_profile = "/nonexistent";
  int64_t available_memory_bytes = 1 << 30;
};

Ended run_case(const WholeRun& c) {
  struct OfRank {
    int status = -1;
    bool speaks = false;
    std::string error, output;
  };
  Options options = parse_options(all_gather, c.args).value();
  options.node_profile = c.node_profile;
  FakeWorld world(c.world);
  const std::vector<OfRank> ranks = world.run([&](Backend& backend) {
    OfRank result;
    std::ostringstream out;
    try {
      result.status = run(backend, all_gather, options, {c.available_memory_bytes}, out);
    } catch (const AgreedError& error) {
      result.error = error.what();
      result.speaks = error.speaks;
    }
    result.output = out.str();
    return result;
  });
  Ended ended;
  ended.status = ranks[0].status;
  ended.output = ranks[0].output;
  for (const OfRank& rank : ranks) {
    CHECK(rank.status == ended.status);
    if (&rank != &ranks[0]) ended.silent = ended.silent && rank.output.empty();
    if (!rank.speaks) continue;
    ended.error = rank.error;
    ++ended.speakers;
  }
  return ended;
}

void corrupt(int rank, std::byte* receive, size_t block_bytes) {
  if (rank == 1 && block_bytes != 0) receive[0] ^= std::byte{1};
}

}  // namespace

TEST_CASE("run: rank 0 prints the whole table, the others print nothing") {
  const Ended ended = run_case({.world = {.size = 2, .seconds_per_operation = 1e-4},
                                .args = {"-b", "8", "-e", "1K", "-f", "8", "-n", "4"}});
  CHECK(ended.status == exit_pass);
  CHECK(ended.silent);
  CHECK(ended.output ==
        "# nccl-tests version " SLIPWAY_VERSION
        "-slipway nccl-headers=0 nccl-library=0\n"
        "# Collective test starting: all_gather_perf\n"
        "# nThread 1 nGpus 1 minBytes 8 maxBytes 1024 step: 8(factor) warmup iters: 1 iters: 4 agg "
        "iters: 1 validation: 1 graph: 0 unalign: 0\n"
        "#\n"
        "# Using devices\n"
        "#  Rank  0 Group  0 Pid   1000 on      node0 device  0 [host memory] fake CPU\n"
        "#  Rank  1 Group  0 Pid   1001 on      node0 device  1 [host memory] fake CPU\n"
        "#\n"
        "#                                                              out-of-place               "
        "        in-place          \n"
        "#       size         count      type   redop    root     time   algbw   busbw  #wrong     "
        "time   algbw   busbw  #wrong \n"
        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             "
        "(us)  (GB/s)  (GB/s)         \n"
        "           0             0     float    none      -1   100.00    0.00    0.00       0   "
        "100.00    0.00    0.00       0\n"
        "          64             8     float    none      -1   100.00    0.00    0.00       0   "
        "100.00    0.00    0.00       0\n"
        "         512            64     float    none      -1   100.00    0.01    0.00       0   "
        "100.00    0.01    0.00       0\n"
        "# Out of bounds values : 0 OK\n"
        "# Avg bus bandwidth    : 0.00096 \n"
        "#\n"
        "# Collective test concluded: all_gather_perf\n"
        "#\n"
        "# Verdict: not judged (no node profile on this node)\n");
}

TEST_CASE("run: wrong data is in the table, fails the verdict and every rank's status") {
  const Ended ended =
      run_case({.world = {.harm = corrupt}, .args = {"-b", "1K", "-e", "1K", "-n", "1"}});
  CHECK(ended.status == exit_fail);
  CHECK_THAT(ended.output, ContainsSubstring("# Out of bounds values : 2 FAILED\n"));
  CHECK_THAT(ended.output, ContainsSubstring("# Verdict: fail (2 elements arrived wrong)\n"));
}

TEST_CASE("run: with a control, a run is judged by its ratio to it, and both are reported") {
  const TemporaryDirectory directory;
  NodeProfile profile = sample_profile();
  profile.bandwidth_control = {"loopback", 0.1, 65536, "measured by hand"};
  write_file(directory / "node.json", to_json(profile));
  // The control takes real time, the test of this world virtual time.
  const auto outcome = [&](double seconds_per_operation) {
    const Ended ended =
        run_case({.world = {.ranks_per_host = 1, .seconds_per_operation = seconds_per_operation},
                  .args = {"-b", "64K", "-e", "64K", "-n", "1", "--report", directory / "r.json"},
                  .node_profile = directory / "node.json"});
    const auto report = nlohmann::json::parse(read_file(directory / "r.json"));
    CHECK(report.at("control").at("rounds") == 9);
    CHECK(report.at("control").at("size_bytes") == 65536);
    CHECK((report.at("control").at("ratio") >= 0.1) == (ended.status == exit_pass));
    return report.at("verdict").at("outcome");
  };
  CHECK(outcome(1e-9) == "pass");
  CHECK(outcome(1e3) == "fail");
}

TEST_CASE("run: a run slower than the node profile expects fails on every rank") {
  const TemporaryDirectory directory;
  NodeProfile profile = sample_profile({{"all_gather", 2, 1024, 100, 0.1, "measured by hand", ""}});
  write_file(directory / "node.json", to_json(profile));
  CHECK(run_case({.args = {"-b", "1K", "-e", "1K"}, .node_profile = directory / "node.json"})
            .status == exit_fail);
  CHECK(run_case({.world = {.seconds_per_operation = 1e-9},
                  .args = {"-b", "1K", "-e", "1K"},
                  .node_profile = directory / "node.json"})
            .status == exit_pass);
}

TEST_CASE("run: every datatype runs the whole sweep") {
  const Ended ended =
      run_case({.args = {"-b", "1000", "-e", "1M", "-f", "7", "-n", "2", "-d", "all"}});
  CHECK(ended.status == exit_pass);
  for (const Datatype& type : all_datatypes()) {
    CHECK_THAT(ended.output, ContainsSubstring(" " + std::string(type.name) + "    none"));
  }
}

TEST_CASE("run: the report is written by rank 0") {
  const TemporaryDirectory directory;
  const auto path = directory / "report.json";
  write_file(path, "an older one");
  CHECK(run_case({.args = {"-b", "1K", "-e", "1K", "--report", path.string()}}).status ==
        exit_pass);
  const auto report = nlohmann::json::parse(read_file(path));
  CHECK(report["schema"] == "slipway/bandwidth/1");
  CHECK(report["rank_count"] == 4);
  CHECK(report["node_count"] == 2);
}

TEST_CASE("run: a report that cannot be written stops the run before its first size") {
  const Ended ended = run_case({.args = {"--report", "/nonexistent/report.json"}});
  CHECK(ended.error == "cannot write /nonexistent/report.json: No such file or directory");
  CHECK(ended.speakers == 1);
  CHECK(ended.output.empty());
}

TEST_CASE("run: more memory than the node has is refused before it is allocated") {
  const Ended ended = run_case({.args = {"-b", "1G", "-e", "1G"}});
  CHECK(ended.error ==
        "2 ranks on node0 need 2.5 GiB of memory, 1.0 GiB are available; choose a smaller -e");
  CHECK(ended.speakers == 1);
  CHECK(ended.output.empty());
}

TEST_CASE("run: a broken node profile is an error that names it") {
  const TemporaryDirectory directory;
  write_file(directory / "node.json", "{}");
  const Ended ended = run_case({.node_profile = directory / "node.json"});
  CHECK_THAT(ended.error, ContainsSubstring("node.json is not a node profile: "));
  CHECK(ended.speakers == 1);
}

TEST_CASE("run: if several ranks fail, the lowest prints its message, and all end") {
  FakeWorld world({});
  const auto spoke = world.run([](Backend& backend) {
    try {
      on_all_ranks(backend, [&] {
        if (backend.rank() >= 2) throw Error("no room");
      });
    } catch (const AgreedError& error) {
      return error.speaks ? std::string(error.what()) : std::string("quiet");
    }
    return std::string("went on");
  });
  CHECK(spoke == std::vector<std::string>{"quiet", "quiet", "no room", "quiet"});
}
