#include "nccl-tests/report.h"

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/sample.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::bandwidth;
using nlohmann::json;

namespace {

json report(const Setup& setup, const std::vector<Row>& rows) {
  return json::parse(to_json(setup, rows, judge(setup, rows), "2026-11-21T08:15:30Z"));
}

}  // namespace

TEST_CASE("report: numbers are numbers, and unknown values are null") {
  const json j = report(sample_setup(), {sample_row(1 << 20, 2, 1)});
  CHECK(j["schema"] == "slipway/bandwidth/1");
  CHECK(j["node_count"] == 2);
  CHECK(j["rank_count"] == 2);
  CHECK(j["transport"].is_null());
  CHECK(j["node_profile"].is_null());
  CHECK(j["wrong_elements"] == 0);
  CHECK(j["average_busbw_gb_per_s"] == 1.5);
  CHECK(j["settings"]["step_factor"] == 2);
  CHECK(j["settings"]["step_bytes"].is_null());
  const json& result = j["results"][0];
  CHECK(result["size_bytes"] == 1 << 20);
  CHECK(result["send_bytes_per_rank"] == 1 << 19);
  CHECK(result["out_of_place"]["busbw_gb_per_s"] == 2.0);
  CHECK(result["in_place"]["wrong"] == 0);
  CHECK(result["root"].is_null());
  CHECK(result["reduction"].is_null());
  CHECK(result["in_place"]["statistics"]["samples"] == 1);
  CHECK(result["in_place"]["statistics"]["median_low_us"].is_null());
  CHECK(result["in_place"]["samples_us"].size() == 1);
  CHECK(j["verdict"] == json({{"outcome", "not judged"},
                              {"reasons", {"no node profile on this node"}},
                              {"runs_needed", nullptr},
                              {"judged", json::array()}}));
}

TEST_CASE("report: unchecked data has no count of wrong elements") {
  const json j = report(sample_setup(), {sample_row(1 << 20, 2, 1, std::nullopt)});
  CHECK(j["wrong_elements"].is_null());
  CHECK(j["results"][0]["out_of_place"]["wrong"].is_null());
}

TEST_CASE("report: names the machine that the node profile names") {
  Setup setup = sample_setup();
  setup.profile = sample_profile();
  CHECK(report(setup, {sample_row(1 << 20, 2, 1)})["node_profile"] ==
        json({{"deployment", "quick"},
              {"cluster", "quick"},
              {"target", "google"},
              {"machine_type", "a3-megagpu-8g"},
              {"transport", "tcpxo"}}));
}

TEST_CASE("report: invalid UTF-8 is replaced") {
  Setup setup = sample_setup();
  setup.environment["NCCL_NET"] = "\xff";
  CHECK(report(setup, {sample_row(1 << 20, 2, 1)})["environment"]["NCCL_NET"] == "\xEF\xBF\xBD");
}

TEST_CASE("report: a path that cannot be a file is refused, and nothing is left") {
  const TemporaryDirectory directory;
  CHECK_THROWS_WITH(
      require_writable(directory / "no/report.json"),
      "cannot write " + (directory / "no/report.json").string() + ": No such file or directory");
  CHECK_THROWS_WITH(require_writable(directory.path()),
                    "cannot write " + directory.path().string() + ": not a regular file");
  CHECK_NOTHROW(require_writable(directory / "report.json"));
  CHECK(std::filesystem::is_empty(directory.path()));
}

TEST_CASE("report: a pipe is refused and stays one") {
  const TemporaryDirectory directory;
  const auto pipe = directory / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(require_writable(pipe),
                    "cannot write " + pipe.string() + ": not a regular file");
  CHECK(std::filesystem::is_fifo(pipe));
  CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);
}

TEST_CASE("report: an older report stays unchanged until the new one replaces it") {
  const TemporaryDirectory directory;
  write_file(directory / "report.json", "old");
  require_writable(directory / "report.json");
  CHECK(read_file(directory / "report.json") == "old");
}
