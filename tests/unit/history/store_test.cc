#include "launcher/history/store.h"

#include <fstream>
#include <thread>

#include "common/error.h"
#include "tests/unit/catch.h"
#include "tests/unit/history/sample_runs.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::history;
using slipway::test::sample_run;

namespace {

Store writer(const std::filesystem::path& file) {
  return Store(file, Store::Mode::write);
}

std::vector<RunRecord> runs_in(const std::filesystem::path& file, const Selection& which = {}) {
  return Store(file, Store::Mode::read).runs(which);
}

}  // namespace

TEST_CASE("store: runs come back unchanged, in the order of time") {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder / "new/bandwidth.db";
  CHECK(writer(file).add({sample_run(3, 188.5, "550"), sample_run(1, 190.25, "550")}) == 2);
  const auto runs = runs_in(file);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].id == "run 1");
  CHECK(runs[0].versions == sample_run(1, 0, "550").versions);
  CHECK(runs[0].conditions == "a3-megagpu-8g, nccl, NET/FasTrak, pipelined");
  REQUIRE(runs[0].figures.size() == 2);
  CHECK(runs[0].figures[1].size_bytes == int64_t{8} << 30);
  CHECK(runs[0].figures[1].busbw_gb_per_s == 190.25);
  CHECK(runs[1].started == "2026-09-04T08:15:29Z");
}

TEST_CASE("store: a run that is recorded twice is one") {
  const TemporaryDirectory folder;
  CHECK(writer(folder / "b.db").add({sample_run(1, 1, "a"), sample_run(1, 1, "a")}) == 1);
  CHECK(writer(folder / "b.db").add({sample_run(1, 1, "a"), sample_run(2, 1, "a")}) == 1);
  CHECK(runs_in(folder / "b.db").size() == 2);
}

TEST_CASE("store: runs are selected by cluster, collective and nodes") {
  const TemporaryDirectory folder;
  RunRecord other = sample_run(5, 1, "a");
  other.cluster = "green";
  other.nodes = 4;
  writer(folder / "b.db").add({sample_run(1, 1, "a"), other});
  CHECK(runs_in(folder / "b.db", {.cluster = "green"}).size() == 1);
  CHECK(runs_in(folder / "b.db", {.cluster = {}, .collective = {}, .nodes = 2}).size() == 1);
  CHECK(runs_in(folder / "b.db", {.cluster = "blue", .collective = "reduce"}).empty());
}

TEST_CASE("store: several programs write at the same time") {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder / "b.db";
  {
    std::vector<std::jthread> writers;
    for (int number = 0; number < 8; ++number) {
      writers.emplace_back([&, number] {
        for (int i = 0; i < 5; ++i) writer(file).add({sample_run(number * 5 + i, 1, "a")});
      });
    }
  }
  CHECK(runs_in(file).size() == 40);
}

TEST_CASE("store: a missing, damaged or foreign file is refused with what to do") {
  const TemporaryDirectory folder;
  CHECK_THROWS_WITH(runs_in(folder / "none.db"), ContainsSubstring("there is no history at ") &&
                                                     ContainsSubstring("slipway bandwidth record"));
  std::ofstream(folder / "text.db") << std::string(5000, 'x');
  CHECK_THROWS_WITH(runs_in(folder / "text.db"),
                    ContainsSubstring("text.db is damaged, or is not"));
  CHECK_THROWS_WITH(writer(folder / "text.db"), ContainsSubstring("move it away"));

  std::vector<RunRecord> many;
  for (int i = 0; i < 200; ++i) many.push_back(sample_run(i, 1, "a"));
  writer(folder / "b.db").add(many);
  std::fstream torn(folder / "b.db", std::ios::in | std::ios::out | std::ios::binary);
  for (int page = 1; page < 8; ++page) {
    torn.seekp(page * 4096);
    torn << std::string(4096, '\x5a');
  }
  torn.close();
  CHECK_THROWS_WITH(runs_in(folder / "b.db"), ContainsSubstring("is damaged, or is not"));
}

TEST_CASE("store: a folder that cannot be written is named") {
  CHECK_THROWS_AS(writer("/proc/none/b.db"), Error);
}
