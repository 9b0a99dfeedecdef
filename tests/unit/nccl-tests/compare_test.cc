#include "nccl-tests/compare.h"

#include "common/error.h"
#include "common/file.h"
#include "nccl-tests/plot.h"
#include "nccl-tests/report.h"
#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/sample.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::bandwidth;

namespace {

// A report of one size whose samples are `us` and 1, 2, … per mille above and below it.
ReadReport report(double us, int samples, void (*change)(Setup&) = nullptr) {
  const TemporaryDirectory directory;
  Setup setup = sample_setup();
  if (change != nullptr) change(setup);
  Row row = sample_row(1 << 20, 2, 1);
  for (Placement* placement : {&row.out_of_place, &row.in_place}) {
    placement->samples_us.clear();
    for (int i = 0; i < samples; ++i) {
      placement->samples_us.push_back(us * (1 + 0.001 * (i - samples / 2)));
    }
  }
  write_file(directory / "r.json", to_json(setup, {row}, judge(setup, {row}), "x"));
  return read_report(directory / "r.json");
}

std::string compared(const ReadReport& before, const ReadReport& after) {
  return to_string(compare(before, after).front());
}

}  // namespace

TEST_CASE("compare: slower and faster are reported with their intervals") {
  CHECK(compared(report(100, 11), report(107, 11)) == "slower by 7.0 % (95 % interval 6.4 to 7.6)");
  CHECK(compared(report(107, 11), report(100, 11)) == "faster by 6.5 % (95 % interval 6.0 to 7.1)");
}

TEST_CASE("compare: a difference within the noise gives no evidence") {
  CHECK(compared(report(100, 11), report(100.2, 11)) ==
        "no evidence (+0.2 %, 95 % interval -0.4 to +0.8)");
}

TEST_CASE("compare: too few samples give no evidence, whatever the difference") {
  CHECK(compared(report(100, 1), report(200, 11)) ==
        "no evidence (+100.0 %; 1 and 11 samples are too few; measure with --samples 10)");
}

TEST_CASE("compare: a gate fails when the whole interval is above the allowed slowdown") {
  const auto by_seven = compare(report(100, 11), report(107, 11)).front();
  CHECK(is_slower(by_seven, 0.02));
  CHECK(is_slower(by_seven, 0.06));
  CHECK(!is_slower(by_seven, 0.07));
  CHECK(!is_slower(compare(report(107, 11), report(100, 11)).front(), 0.02));
}

TEST_CASE("compare: runs that cannot be compared are recognized") {
  CHECK(differences(report(100, 11), report(100, 11)).empty());
  CHECK(differences(report(100, 11), report(100, 11,
                                            [](Setup& setup) {
                                              setup.ranks.pop_back();
                                              setup.transport = "NET/Socket";
                                            })) ==
        std::vector<std::string>{"transport: null and NET/Socket", "number of nodes: 2 and 1",
                                 "number of ranks: 2 and 1"});
}

TEST_CASE("compare: a size that the new report lacks is reported") {
  ReadReport after = report(100, 11);
  after.rows.clear();
  CHECK(compared(report(100, 11), after) == "not compared (not in the new report)");
}

TEST_CASE("compare: a file that is not a report is an error that names it") {
  const TemporaryDirectory directory;
  write_file(directory / "x.json", "{\"schema\": \"other/1\"}");
  CHECK_THROWS_WITH(read_report(directory / "x.json"),
                    ContainsSubstring("x.json is not a bandwidth report: schema is \"other/1\", "
                                      "expected `slipway/bandwidth/1`"));
  CHECK_THROWS_AS(read_report(directory / "none.json"), Error);
}

TEST_CASE(
    "plot: has a title, the verdict, a line for each placement, a band, and expected figures") {
  const std::string svg = plot({report(100, 11, [](Setup& setup) {
    setup.profile = sample_profile({{"all_gather", 2, 1 << 20, 100, 0.1, "a page", "tcpxo"}});
  })});
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(svg.ends_with("</svg>\n"));
  const auto count = [&](const std::string& what) {
    size_t found = 0;
    for (size_t at = svg.find(what); at != svg.npos; at = svg.find(what, at + 1)) ++found;
    return found;
  };
  CHECK(count("class=\"line\"") == 2);
  CHECK(count("fill-opacity") == 2);
  CHECK(count("class=\"expected\"") == 1);
  CHECK_THAT(svg, ContainsSubstring("all_gather out of place, "));
  CHECK(svg.find("nan") == svg.npos);
  CHECK(svg.find("inf") == svg.npos);
}

TEST_CASE("plot: a report without a bandwidth is an empty picture") {
  ReadReport nothing = report(100, 1);
  nothing.rows.clear();
  CHECK(plot({nothing}).find("nan") == std::string::npos);
}
