#include "launcher/history/run_record.h"

#include <nlohmann/json.hpp>

#include "tests/unit/catch.h"

using namespace slipway::history;
using nlohmann::json;

namespace {

json report() {
  return json::parse(R"({"schema": "slipway/bandwidth/1", "version": "0.1.0",
    "started_utc": "2026-11-21T08:15:29Z", "collective": "all_reduce", "backend": "nccl",
    "library": "NCCL 2.28.9+cuda13.0", "transport": "NET/FasTrak", "node_count": 2,
    "rank_count": 16, "node_profile": {"cluster": "blue", "machine_type": "a3-megagpu-8g"},
    "settings": {"timing": "pipelined", "operations_per_iteration": 1},
    "environment": {"SLURM_CLUSTER_NAME": "green"},
    "software": {"driver": "560.35.03", "slurm": "24.11.5"},
    "results": [{"size_bytes": 1024, "datatype": "float", "reduction": "sum", "root": null,
      "out_of_place": {"busbw_gb_per_s": 1.5}, "in_place": {"busbw_gb_per_s": 1.25}}]})");
}

}  // namespace

TEST_CASE("run record: a report has what is needed to compare it") {
  const RunRecord run = parse_report(report().dump(), "r.json");
  CHECK(run.cluster == "blue");
  CHECK(run.collective == "all_reduce");
  CHECK(run.ranks == 16);
  CHECK(run.conditions == "a3-megagpu-8g, nccl, NET/FasTrak, pipelined");
  CHECK(run.versions == std::map<std::string, std::string>{{"NCCL", "2.28.9+cuda13.0"},
                                                           {"Slipway", "0.1.0"},
                                                           {"Slurm", "24.11.5"},
                                                           {"driver", "560.35.03"}});
  REQUIRE(run.figures.size() == 2);
  CHECK(run.figures[1].what == "float, sum, in place");
  CHECK(run.figures[1].busbw_gb_per_s == 1.25);
}

TEST_CASE("run record: reports of older versions have no software, and runs alone no bandwidth") {
  json old = report();
  old.erase("software");
  old["node_profile"] = nullptr;
  old["backend"] = "tcp";
  old["results"][0]["in_place"]["busbw_gb_per_s"] = 0;
  const RunRecord run = parse_report(old.dump(), "r.json");
  CHECK(run.cluster == "green");
  CHECK(run.versions == std::map<std::string, std::string>{{"Slipway", "0.1.0"}});
  CHECK(run.figures.size() == 1);
}

TEST_CASE("run record: the same report in another layout is the same run, another is not") {
  const RunRecord run = parse_report(report().dump(), "a.json");
  CHECK(parse_report(report().dump(4), "b.json").id == run.id);
  json other = report();
  other["started_utc"] = "2026-11-21T08:15:30Z";
  CHECK(parse_report(other.dump(), "a.json").id != run.id);
}

TEST_CASE("run record: anything else is refused with the file's name") {
  json other = report();
  other["schema"] = "slipway/scan/1";
  CHECK_THROWS_WITH(parse_report(other.dump(), "s.json"),
                    "s.json is not a bandwidth report: its schema is \"slipway/scan/1\", expected "
                    "`slipway/bandwidth/1`");
  for (const char* text : {"", "{", "[]", "7", "null", R"({"schema": "slipway/bandwidth/1"})"})
    CHECK_THROWS_WITH(parse_report(text, "x.json"), ContainsSubstring("x.json is not a bandwidth"));
}
