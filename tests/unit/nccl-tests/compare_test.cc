#include "nccl-tests/compare.h"

#include <algorithm>

#include <fmt/core.h>

#include "common/error.h"
#include "common/file.h"
#include "nccl-tests/judge_reports.h"
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

// Both sides' runs have these median times.
Sides sides_of(std::vector<double> before, std::vector<double> after, bool paired = false) {
  Sides sides;
  for (const double us : before) sides.before.push_back(report(us, 11));
  for (const double us : after) sides.after.push_back(report(us, 11));
  // In turn.
  int second = 0;
  for (size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
    const auto at = [&] { return fmt::format("2026-11-21T08:15:{:02}Z", second++); };
    if (i < before.size()) sides.before[i].started_utc = at();
    if (i < after.size()) sides.after[i].started_utc = at();
  }
  sides.paired = paired;
  return sides;
}

std::string compared(const Sides& sides) {
  return to_string(compare(sides, 0.02).rows.front());
}

}  // namespace

TEST_CASE("compare: pairs show slower and faster with interval and chance") {
  const std::vector<double> old = {100, 101, 99, 100.5, 99.5, 100},
                            more = {107, 108, 107, 107, 107, 107};
  CHECK(compared(sides_of(old, more, true)) ==
        "slower by 7.2 % (95 % interval +6.6 to +7.8, p 0.016)");
  CHECK(compared(sides_of(more, old, true)) ==
        "faster by 6.7 % (95 % interval -7.2 to -6.2, p 0.016)");
  CHECK(compare(sides_of(old, more, true), 0.02).any_slower_too_much());
  const ComparedSides allowed = compare(sides_of(old, more, true), 0.08);
  CHECK(!allowed.any_slower_too_much());
  CHECK_THAT(to_string(allowed.rows.front()),
             ContainsSubstring("slower by 7.2 %, perhaps no more than allowed"));
}

TEST_CASE("compare: several runs a side need no pairs") {
  const ComparedSides result = compare(sides_of({100, 101, 99, 100.5}, {107, 108, 107, 107}), 0.02);
  CHECK(result.design == Design::groups);
  CHECK(result.notes.empty());
  CHECK(result.any_slower_too_much());
  CHECK_THAT(to_string(result.rows.front()), ContainsSubstring("slower by 7.1 %"));
  CHECK_THAT(power_of(result), ContainsSubstring("would have shown, with 80 %, what is slower by"));
}

TEST_CASE("compare: one run a side shows large differences only, and says why") {
  const ComparedSides seven = compare(sides_of({100}, {107}), 0.02);
  CHECK(seven.design == Design::assumed);
  CHECK(!seven.any_slower_too_much());
  REQUIRE(seven.notes.size() == 1);
  CHECK_THAT(seven.notes[0],
             ContainsSubstring("1 run a side cannot show how much equal runs differ, "
                               "so a standard deviation of 5 % is assumed"));
  CHECK_THAT(to_string(seven.rows.front()),
             ContainsSubstring("no evidence (+7.0 %, 95 % interval -12."));
  CHECK(compare(sides_of({100}, {140}), 0.02).any_slower_too_much());
}

TEST_CASE("compare: a drift through all runs does not count as a difference of the sides") {
  Sides sides = sides_of({100, 101, 102, 103}, {104, 105, 106, 107});
  int second = 0;
  for (auto* side : {&sides.before, &sides.after}) {
    for (ReadReport& one : *side)
      one.started_utc = fmt::format("2026-11-21T08:15:{:02}Z", second++);
  }
  const ComparedSides drifting = compare(sides, 0);
  CHECK(!drifting.any_slower_too_much());
  CHECK_THAT(drifting.notes.at(0), ContainsSubstring("did not alternate"));
}

TEST_CASE("compare: a note counts the rows that drift within a run") {
  Sides sides = sides_of({100}, {100});
  sides.before[0].rows[0].placements[0].drift = true;
  CHECK_THAT(compare(sides, 0.02).notes.at(1), ContainsSubstring("1 row drifts within a run"));
}

TEST_CASE("compare: many samples leave only their statistics, which do as well") {
  Sides sides = sides_of({100}, {140});
  for (auto* side : {&sides.before, &sides.after}) {
    for (Measured& placement : side->front().rows[0].placements) placement.samples_us.clear();
  }
  CHECK(compare(sides, 0.02).any_slower_too_much());
}

TEST_CASE("compare: several reports are judged together against their figure") {
  const auto judged = [](std::vector<double> busbw) {
    std::vector<ReadReport> reports;
    for (const double one : busbw) {
      const TemporaryDirectory directory;
      Setup setup = sample_setup();
      setup.profile = sample_profile({{"all_gather", 2, 1 << 20, 100, 0.1, "a page", "tcpxo"}});
      const std::vector<Row> rows = {sample_row(1 << 20, one, one)};
      write_file(directory / "r.json", to_json(setup, rows, judge(setup, rows), "x"));
      reports.push_back(read_report(directory / "r.json"));
    }
    return judge_reports(reports);
  };
  CHECK(judged({94}).outcome == Outcome::too_noisy);
  CHECK(judged({94, 94.1, 93.9, 94}).outcome == Outcome::pass);
  CHECK(judged({86, 86.1, 85.9, 86, 86}).outcome == Outcome::fail);
  CHECK_THAT(judged({94, 94.1, 93.9, 94}).reasons.at(0), ContainsSubstring("reaches 90.00"));
}

TEST_CASE("compare: a report with wrong data fails all") {
  ReadReport wrong = report(100, 11);
  wrong.verdict = "fail";
  wrong.verdict_reason = "2 elements arrived wrong";
  const Verdict verdict = judge_reports({report(100, 11), wrong});
  CHECK(verdict.outcome == Outcome::fail);
  CHECK_THAT(verdict.reasons.at(0), ContainsSubstring("2 elements arrived wrong"));
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
  Sides sides = sides_of({100}, {100});
  sides.after[0].rows.clear();
  CHECK(compared(sides) == "not compared (not in the new report)");
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
