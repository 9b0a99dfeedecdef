#include "launcher/job/goodput.h"

#include "tests/unit/catch.h"
#include "tests/unit/job/ledger_lines.h"

using namespace slipway::job;

namespace {

Goodput of(std::vector<Entry> entries) {
  Ledger ledger;
  ledger.entries = std::move(entries);
  return goodput_of(ledger);
}

int64_t spent(const Goodput& goodput, Phase phase) {
  return goodput.phase_ms[static_cast<size_t>(phase)];
}

// Checks that spans cover the whole time, and add up to the phases.
void check_whole(const Goodput& goodput) {
  std::array<int64_t, phases> sums = {};
  int64_t at = goodput.begin_ms;
  for (const Span& span : goodput.spans) {
    CHECK(span.begin_ms == at);
    CHECK(span.end_ms > span.begin_ms);
    sums[static_cast<size_t>(span.phase)] += span.end_ms - span.begin_ms;
    at = span.end_ms;
  }
  CHECK(at == goodput.end_ms);
  CHECK(sums == goodput.phase_ms);
}

}  // namespace

TEST_CASE("goodput: a job without incidents") {
  const Goodput goodput = of({begun(0), started(100, 1), progress(1100, 1, 0),
                              progress(9100, 1, 80), ended(10000, "done")});
  check_whole(goodput);
  CHECK(spent(goodput, Phase::startup) == 1100);
  CHECK(spent(goodput, Phase::productive) == 8000);
  CHECK(spent(goodput, Phase::ending) == 900);
  CHECK(goodput.ratio().value() == Approx(0.8));
  CHECK(goodput.steps == 80);
  CHECK(goodput.result == "done");
  CHECK(goodput.causes.empty());
  CHECK_FALSE(goodput.joules.has_value());
}

TEST_CASE(
    "goodput: repeated steps are charged to the failure, as is all time until the next step") {
  const Goodput goodput =
      of({begun(0), started(0, 1), progress(1000, 1, 0), progress(2000, 1, 10),
          progress(3000, 1, 20), failed(3500, 1, "node gone", "node"), started(4000, 2),
          progress(5000, 2, 15), progress(6500, 2, 30), ended(6500, "done")});
  check_whole(goodput);
  CHECK(spent(goodput, Phase::productive) == 1500 + 1500);
  CHECK(spent(goodput, Phase::lost_work) == 500);  // five steps of ten in a second
  CHECK(spent(goodput, Phase::detection) == 500);
  CHECK(spent(goodput, Phase::recovery) == 500);
  CHECK(spent(goodput, Phase::startup) == 1000 + 1000);
  CHECK(goodput.steps == 15 + 15);
  CHECK(goodput.lost_steps == 5);
  REQUIRE(goodput.causes.size() == 1);
  CHECK(goodput.causes[0].what == "node gone");
  CHECK(goodput.causes[0].lost_ms == 500 + 500 + 500 + 1000);
  CHECK(goodput.causes[0].lost_steps == 5);
  REQUIRE(goodput.blamed.size() == 1);
  CHECK(goodput.blamed[0].node == "n2");
  CHECK(goodput.blamed[0].evidence == std::vector<std::string>{"rank 8 was first"});
}

TEST_CASE("goodput: a restart to grow is recovery that no failure is charged with") {
  const Goodput goodput =
      of({begun(0), started(0, 1), progress(1000, 1, 0), progress(3000, 1, 20), grown(3500, 1, 20),
          started(4000, 2), progress(5000, 2, 20), progress(6000, 2, 40), ended(6000, "done")});
  check_whole(goodput);
  CHECK(spent(goodput, Phase::productive) == 3000);
  CHECK(spent(goodput, Phase::recovery) == 1000);
  CHECK(spent(goodput, Phase::startup) == 2000);
  CHECK(goodput.attempts == 2);
  CHECK(goodput.lost_steps == 0);
  CHECK(goodput.causes.empty());
  CHECK(goodput.runs[0].what.empty());
}

TEST_CASE("goodput: resuming far back also loses the work of earlier attempts") {
  const Goodput goodput =
      of({begun(0), started(0, 1), progress(0, 1, 0), progress(1000, 1, 10),
          failed(1000, 1, "exit", "unknown"), started(1000, 2), progress(1000, 2, 10),
          progress(2000, 2, 20), failed(2000, 2, "exit", "unknown"), started(2000, 3),
          progress(2000, 3, 5), progress(3000, 3, 15), ended(3000, "cancelled")});
  check_whole(goodput);
  CHECK(spent(goodput, Phase::productive) == 500 + 0 + 1000);
  CHECK(spent(goodput, Phase::lost_work) == 500 + 1000);
  CHECK(goodput.lost_steps == 5 + 10);
  CHECK(goodput.steps == 15);
  CHECK(goodput.causes[0].failures == 2);
}

TEST_CASE("goodput: time in the queue is charged to the failure before it") {
  const Goodput goodput =
      of({begun(0), started(0, 1), progress(0, 1, 0), progress(1000, 1, 10),
          failed(1100, 1, "node gone", "node"), ended(1200, "requeued"), begun(61200),
          started(61300, 2), progress(62000, 2, 10), progress(63000, 2, 20), ended(63000, "done")});
  check_whole(goodput);
  CHECK(goodput.requeues == 1);
  CHECK(spent(goodput, Phase::waiting) == 60000);
  CHECK(goodput.causes[0].lost_ms == 61000);
  CHECK(goodput.result == "done");
}

TEST_CASE("goodput: causes are ordered by cost, and kept apart by who was blamed") {
  const Goodput goodput =
      of({begun(0), started(0, 1), progress(0, 1, 0), failed(10, 1, "exit", "unknown"),
          started(20, 2), progress(30, 2, 0), failed(2000, 2, "exit", "node"), started(2010, 3),
          progress(2020, 3, 0), progress(3000, 3, 9), ended(3000, "done")});
  check_whole(goodput);
  REQUIRE(goodput.causes.size() == 2);
  CHECK(goodput.causes[0].blame == "node");
  CHECK(goodput.causes[0].lost_ms == 1990);
  CHECK(goodput.causes[1].lost_ms == 30);
}

TEST_CASE("goodput: an attempt that never reached a step is charged to the next failure") {
  const Goodput goodput =
      of({begun(0), started(0, 1), progress(0, 1, 0), progress(1000, 1, 10),
          failed(1000, 1, "exit", "node"), started(1100, 2), failed(1600, 2, "signal", "unknown"),
          started(1700, 3), progress(1800, 3, 10), progress(1900, 3, 11), ended(1900, "done")});
  check_whole(goodput);
  CHECK(goodput.causes[0].what == "signal");
  CHECK(goodput.causes[0].lost_ms == 700);
  CHECK(goodput.causes[1].lost_ms == 100);
}

TEST_CASE("goodput: without steps, goodput is unknown, not 0") {
  const Goodput goodput = of({begun(0), started(100, 1), failed(1000, 1, "exit", "application"),
                              started(1200, 2), ended(5000, "done")});
  check_whole(goodput);
  CHECK_FALSE(goodput.ratio().has_value());
  CHECK(spent(goodput, Phase::unreported) == 900 + 3800);
  CHECK(goodput.steps == 0);
}

TEST_CASE("goodput: a killed launcher leaves what was known until then") {
  const Goodput goodput = of({begun(0), started(0, 1), progress(100, 1, 0), progress(1100, 1, 10)});
  check_whole(goodput);
  CHECK(goodput.result == "");
  CHECK(spent(goodput, Phase::productive) == 1000);
  const Goodput again =
      of({begun(0), started(0, 1), progress(100, 1, 0), progress(1100, 1, 10), begun(9100),
          started(9200, 2), progress(9300, 2, 10), progress(9400, 2, 11), ended(9400, "done")});
  check_whole(again);
  CHECK(spent(again, Phase::productive) == 1100);
  CHECK(spent(again, Phase::waiting) == 8000);
}

TEST_CASE("goodput: energy adds up") {
  const Goodput goodput =
      of({begun(0), started(0, 1), failed(10, 1, "exit", "node"), energy(11, 1, 5), started(12, 2),
          energy(20, 2, 7), ended(20, "done")});
  CHECK(goodput.joules.value() == 12);
  CHECK(goodput.all_joules);
}

TEST_CASE("goodput: energy that lacks a node or an attempt is incomplete") {
  Entry lacking = energy(5, 1, 5);
  lacking.missing = {"n2"};
  CHECK_FALSE(of({begun(0), started(0, 1), lacking, ended(20, "done")}).all_joules);
  CHECK_FALSE(of({begun(0), started(0, 1), failed(10, 1, "exit", "node"), started(12, 2),
                  energy(20, 2, 7), ended(20, "done")})
                  .all_joules);
}

TEST_CASE("goodput: energy reported after the end takes no time") {
  const Goodput goodput = of({begun(0), started(0, 1), ended(20, "cancelled"), energy(900, 1, 5)});
  check_whole(goodput);
  CHECK(goodput.end_ms - goodput.begin_ms == 20);
  CHECK(goodput.joules.value() == 5);
}

TEST_CASE("goodput: a launcher that has just started") {
  const Goodput goodput = of({begun(0)});
  check_whole(goodput);
  CHECK(goodput.attempts == 0);
  CHECK_FALSE(goodput.ratio().has_value());
}

TEST_CASE("goodput: the most steps in the longest time") {
  constexpr int64_t century_ms = 3155760000000;
  const Goodput goodput = of(
      {begun(0), started(0, 1), progress(0, 1, 0), progress(century_ms, 1, 1'000'000'000'000'000),
       failed(century_ms, 1, "exit", "node"), started(century_ms, 2),
       progress(century_ms, 2, 500'000'000'000'000), ended(century_ms, "failed")});
  check_whole(goodput);
  CHECK(goodput.ratio().value() == Approx(0.5));
}
