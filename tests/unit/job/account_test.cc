#include "launcher/job/account.h"

#include "tests/unit/catch.h"
#include "tests/unit/job/ledger_lines.h"

using namespace slipway::job;

namespace {

Account of(std::vector<Entry> entries) {
  Ledger ledger;
  ledger.entries = std::move(entries);
  return account_of(ledger);
}

int64_t spent(const Account& account, Phase phase) {
  return account.phase_ms[static_cast<size_t>(phase)];
}

// Spans cover all of the time, and what they come to is what the phases have.
void check_whole(const Account& account) {
  std::array<int64_t, phases> sums = {};
  int64_t at = account.begin_ms;
  for (const Span& span : account.spans) {
    CHECK(span.begin_ms == at);
    CHECK(span.end_ms > span.begin_ms);
    sums[static_cast<size_t>(span.phase)] += span.end_ms - span.begin_ms;
    at = span.end_ms;
  }
  CHECK(at == account.end_ms);
  CHECK(sums == account.phase_ms);
}

}  // namespace

TEST_CASE("account: a job that nothing happens to") {
  const Account account = of({begun(0), started(100, 1), progress(1100, 1, 0),
                              progress(9100, 1, 80), ended(10000, "done")});
  check_whole(account);
  CHECK(spent(account, Phase::startup) == 1100);
  CHECK(spent(account, Phase::productive) == 8000);
  CHECK(spent(account, Phase::ending) == 900);
  CHECK(account.goodput().value() == Approx(0.8));
  CHECK(account.steps == 80);
  CHECK(account.result == "done");
  CHECK(account.causes.empty());
  CHECK_FALSE(account.joules.has_value());
}

TEST_CASE(
    "account: steps that are done again are lost to the failure, with all until the next step") {
  const Account account =
      of({begun(0), started(0, 1), progress(1000, 1, 0), progress(2000, 1, 10),
          progress(3000, 1, 20), failed(3500, 1, "node gone", "node"), started(4000, 2),
          progress(5000, 2, 15), progress(6500, 2, 30), ended(6500, "done")});
  check_whole(account);
  CHECK(spent(account, Phase::productive) == 1500 + 1500);
  CHECK(spent(account, Phase::lost_work) == 500);  // five steps of ten in a second
  CHECK(spent(account, Phase::detection) == 500);
  CHECK(spent(account, Phase::recovery) == 500);
  CHECK(spent(account, Phase::startup) == 1000 + 1000);
  CHECK(account.steps == 15 + 15);
  CHECK(account.lost_steps == 5);
  REQUIRE(account.causes.size() == 1);
  CHECK(account.causes[0].what == "node gone");
  CHECK(account.causes[0].lost_ms == 500 + 500 + 500 + 1000);
  CHECK(account.causes[0].lost_steps == 5);
  REQUIRE(account.blamed.size() == 1);
  CHECK(account.blamed[0].node == "n2");
  CHECK(account.blamed[0].evidence == std::vector<std::string>{"rank 8 was first"});
}

TEST_CASE("account: a resume far back takes the work of earlier attempts, too") {
  const Account account =
      of({begun(0), started(0, 1), progress(0, 1, 0), progress(1000, 1, 10),
          failed(1000, 1, "exit", "unknown"), started(1000, 2), progress(1000, 2, 10),
          progress(2000, 2, 20), failed(2000, 2, "exit", "unknown"), started(2000, 3),
          progress(2000, 3, 5), progress(3000, 3, 15), ended(3000, "cancelled")});
  check_whole(account);
  CHECK(spent(account, Phase::productive) == 500 + 0 + 1000);
  CHECK(spent(account, Phase::lost_work) == 500 + 1000);
  CHECK(account.lost_steps == 5 + 10);
  CHECK(account.steps == 15);
  CHECK(account.causes[0].failures == 2);
}

TEST_CASE("account: time in the queue is lost to the failure before it") {
  const Account account =
      of({begun(0), started(0, 1), progress(0, 1, 0), progress(1000, 1, 10),
          failed(1100, 1, "node gone", "node"), ended(1200, "requeued"), begun(61200),
          started(61300, 2), progress(62000, 2, 10), progress(63000, 2, 20), ended(63000, "done")});
  check_whole(account);
  CHECK(account.requeues == 1);
  CHECK(spent(account, Phase::waiting) == 60000);
  CHECK(account.causes[0].lost_ms == 61000);
  CHECK(account.result == "done");
}

TEST_CASE("account: causes are in the order of what they cost, apart by who was blamed") {
  const Account account =
      of({begun(0), started(0, 1), progress(0, 1, 0), failed(10, 1, "exit", "unknown"),
          started(20, 2), progress(30, 2, 0), failed(2000, 2, "exit", "node"), started(2010, 3),
          progress(2020, 3, 0), progress(3000, 3, 9), ended(3000, "done")});
  check_whole(account);
  REQUIRE(account.causes.size() == 2);
  CHECK(account.causes[0].blame == "node");
  CHECK(account.causes[0].lost_ms == 1990);
  CHECK(account.causes[1].lost_ms == 30);
}

TEST_CASE("account: an attempt that never came to a step is the next failure's") {
  const Account account =
      of({begun(0), started(0, 1), progress(0, 1, 0), progress(1000, 1, 10),
          failed(1000, 1, "exit", "node"), started(1100, 2), failed(1600, 2, "signal", "unknown"),
          started(1700, 3), progress(1800, 3, 10), progress(1900, 3, 11), ended(1900, "done")});
  check_whole(account);
  CHECK(account.causes[0].what == "signal");
  CHECK(account.causes[0].lost_ms == 700);
  CHECK(account.causes[1].lost_ms == 100);
}

TEST_CASE("account: without a step goodput is unknown, not nothing") {
  const Account account = of({begun(0), started(100, 1), failed(1000, 1, "exit", "application"),
                              started(1200, 2), ended(5000, "done")});
  check_whole(account);
  CHECK_FALSE(account.goodput().has_value());
  CHECK(spent(account, Phase::unreported) == 900 + 3800);
  CHECK(account.steps == 0);
}

TEST_CASE("account: a launcher that was killed leaves what was known until then") {
  const Account account = of({begun(0), started(0, 1), progress(100, 1, 0), progress(1100, 1, 10)});
  check_whole(account);
  CHECK(account.result == "");
  CHECK(spent(account, Phase::productive) == 1000);
  const Account again =
      of({begun(0), started(0, 1), progress(100, 1, 0), progress(1100, 1, 10), begun(9100),
          started(9200, 2), progress(9300, 2, 10), progress(9400, 2, 11), ended(9400, "done")});
  check_whole(again);
  CHECK(spent(again, Phase::productive) == 1100);
  CHECK(spent(again, Phase::waiting) == 8000);
}

TEST_CASE("account: energy adds up") {
  const Account account =
      of({begun(0), started(0, 1), failed(10, 1, "exit", "node"), energy(11, 1, 5), started(12, 2),
          energy(20, 2, 7), ended(20, "done")});
  CHECK(account.joules.value() == 12);
  CHECK(account.all_joules);
}

TEST_CASE("account: energy that lacks a node or an attempt is not all of it") {
  Entry lacking = energy(5, 1, 5);
  lacking.missing = {"n2"};
  CHECK_FALSE(of({begun(0), started(0, 1), lacking, ended(20, "done")}).all_joules);
  CHECK_FALSE(of({begun(0), started(0, 1), failed(10, 1, "exit", "node"), started(12, 2),
                  energy(20, 2, 7), ended(20, "done")})
                  .all_joules);
}

TEST_CASE("account: energy that is told after the end takes no time") {
  const Account account = of({begun(0), started(0, 1), ended(20, "cancelled"), energy(900, 1, 5)});
  check_whole(account);
  CHECK(account.end_ms - account.begin_ms == 20);
  CHECK(account.joules.value() == 5);
}

TEST_CASE("account: a launcher that has just begun") {
  const Account account = of({begun(0)});
  check_whole(account);
  CHECK(account.attempts == 0);
  CHECK_FALSE(account.goodput().has_value());
}

TEST_CASE("account: the most steps in the longest time") {
  constexpr int64_t century_ms = 3155760000000;
  const Account account = of(
      {begun(0), started(0, 1), progress(0, 1, 0), progress(century_ms, 1, 1'000'000'000'000'000),
       failed(century_ms, 1, "exit", "node"), started(century_ms, 2),
       progress(century_ms, 2, 500'000'000'000'000), ended(century_ms, "failed")});
  check_whole(account);
  CHECK(account.goodput().value() == Approx(0.5));
}
