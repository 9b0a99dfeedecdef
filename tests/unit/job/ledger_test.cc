#include "launcher/job/ledger.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <csignal>

#include "common/error.h"
#include "common/fd.h"
#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/job/ledger_lines.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway::job;

namespace {

std::string complaint(const std::string& text) {
  try {
    parse_ledger(text, "x.jsonl");
  } catch (const slipway::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("ledger: a line has the fields of its event, and no others") {
  CHECK(
      to_line(progress(1500, 2, 40)) ==
      R"({"schema":"slipway/ledger/1","time":"2026-11-21T12:00:01.500Z","job":"7","event":"progress","attempt":2,"step":40})"
      "\n");
  CHECK(
      to_line(ended(0, "done")) ==
      R"({"schema":"slipway/ledger/1","time":"2026-11-21T12:00:00.000Z","job":"7","event":"end","result":"done","status":0})"
      "\n");
}

TEST_CASE("ledger: every line reads back as written") {
  std::string text;
  for (const Entry& entry : one_of_each()) text += to_line(entry);
  const Ledger ledger = parse_ledger(text, "x.jsonl");
  CHECK_FALSE(ledger.torn);
  std::string again;
  for (const Entry& entry : ledger.entries) again += to_line(entry);
  CHECK(again == text);
}

TEST_CASE("ledger: a terminal gets no commands from another user's ledger") {
  Entry entry = begun(0);
  entry.command = {"train\x1b[2J", "a\tb\n"};
  const Ledger ledger = parse_ledger(to_line(entry), "x.jsonl");
  CHECK(ledger.entries[0].command == std::vector<std::string>{"train?[2J", "a\tb?"});
}

TEST_CASE("ledger: a torn last line is ignored, wherever it was torn") {
  const std::string whole = to_line(begun(0)), last = to_line(started(10, 1));
  for (size_t length = 1; length < last.size(); ++length) {
    const Ledger ledger = parse_ledger(whole + last.substr(0, length), "x.jsonl");
    CHECK(ledger.torn);
    CHECK(ledger.entries.size() == 1);
  }
}

TEST_CASE("ledger: an invalid line is reported with its number") {
  CHECK_THAT(complaint(to_line(begun(0)) + "{\n" + to_line(started(1, 1))),
             ContainsSubstring("x.jsonl:2: not a ledger line"));
  CHECK(complaint(R"({"schema":"slipway/ledger/2"})"
                  "\n") ==
        R"(x.jsonl:1: the schema is "slipway/ledger/2", expected "slipway/ledger/1")");
  CHECK(complaint(to_line(started(1, 1))) == "x.jsonl:1: a ledger must begin with the event `job`");
  CHECK(complaint("") == "x.jsonl: contains no ledger lines");
}

TEST_CASE("ledger: lines belong to one job, and are in order") {
  Entry other = started(1, 1);
  other.job = "8";
  CHECK(complaint(to_line(begun(0)) + to_line(other)) ==
        "x.jsonl:2: job `8` in the ledger of job `7`");
  CHECK(complaint(to_line(begun(10)) + to_line(started(5, 1))) ==
        "x.jsonl:2: earlier than the line before it");
}

TEST_CASE("ledger: an impossible value is named") {
  const auto with = [](Entry entry, const std::string& from, const std::string& to) {
    std::string line = to_line(entry);
    line.replace(line.find(from), from.size(), to);
    return complaint(to_line(begun(0)) + line);
  };
  const Entry reached = progress(0, 1, 77);
  CHECK(with(reached, "77", "-1") == "x.jsonl:2: -1 is not a whole number up to 1000000000000000");
  CHECK(with(reached, "77", "1e300") ==
        "x.jsonl:2: 1e+300 is not a whole number up to 1000000000000000");
  CHECK(with(reached, "77", "18446744073709551615") ==
        "x.jsonl:2: 18446744073709551615 is not a whole number up to 1000000000000000");
  CHECK(with(reached, "12:00:00.000Z", "12:61:00.000Z") ==
        "x.jsonl:2: `2026-11-21T12:61:00.000Z` is not a time");
  CHECK(with(reached, "12:00:00.000Z", "12:00:00Z") ==
        "x.jsonl:2: `2026-11-21T12:00:00Z` is not a time");
  CHECK(with(energy(0, 1, 2.5), "2.5", "-2.5") ==
        "x.jsonl:2: -2.5 is not a number up to 1000000000000000");
  CHECK(with(ended(0, "done"), "done", "fine") ==
        "x.jsonl:2: `fine` is not one of done, failed, requeued, cancelled");
  CHECK(with(failed(0, 1, "exit", "node"), R"("blame":"node")", R"("blame":"them")") ==
        "x.jsonl:2: `them` is not one of node, application, unknown");
  CHECK_THAT(with(started(0, 1), R"(["n1","n2"])", "7"),
             ContainsSubstring("x.jsonl:2: not a ledger line"));
}

TEST_CASE("ledger: evidence that is not UTF-8 does not break a line") {
  Entry entry = failed(0, 1, "exit", "node");
  entry.evidence = {"\xff\xfe died"};
  CHECK(parse_ledger(to_line(begun(0)) + to_line(entry), "x").entries.size() == 2);
}

TEST_CASE("ledger writer: appends to an existing file, and cuts off a torn line") {
  TemporaryDirectory folder;
  const auto path = folder / "ledger.jsonl";
  slipway::write_file(path, to_line(begun(0)) + R"({"schema":"slip)");
  LedgerWriter(path).append(started(1, 1));
  LedgerWriter(path).append(progress(2, 1, 0));
  CHECK(slipway::read_file(path) ==
        to_line(begun(0)) + to_line(started(1, 1)) + to_line(progress(2, 1, 0)));
}

TEST_CASE("ledger writer: a clock that was set back does not make a line earlier") {
  TemporaryDirectory folder;
  const auto path = folder / "ledger.jsonl";
  LedgerWriter(path).append(begun(1000));
  LedgerWriter again(path);
  again.append(started(400, 1));
  again.append(progress(300, 1, 0));
  CHECK(slipway::read_file(path) ==
        to_line(begun(1000)) + to_line(started(1000, 1)) + to_line(progress(1000, 1, 0)));
}

TEST_CASE("ledger writer: appends to no other file") {
  TemporaryDirectory folder;
  const auto path = folder / "notes.txt";
  slipway::write_file(path, "mine\n");
  CHECK_THROWS_WITH(LedgerWriter(path), ContainsSubstring("notes.txt:1: not a ledger line"));
  CHECK(slipway::read_file(path) == "mine\n");
  slipway::write_file(path, "mine");
  CHECK_THROWS_WITH(LedgerWriter(path), ContainsSubstring("contains no ledger lines"));
  CHECK(slipway::read_file(path) == "mine");
}

TEST_CASE("ledger writer: starts over if not even the first line is complete") {
  TemporaryDirectory folder;
  const auto path = folder / "ledger.jsonl";
  for (size_t length : {0, 5, 60}) {
    slipway::write_file(path, to_line(begun(0)).substr(0, length));
    LedgerWriter(path).append(begun(7));
    CHECK(slipway::read_file(path) == to_line(begun(7)));
  }
}

TEST_CASE("ledger writer: only one at a time") {
  TemporaryDirectory folder;
  const LedgerWriter first(folder / "ledger.jsonl");
  CHECK_THROWS_WITH(LedgerWriter(folder / "ledger.jsonl"),
                    ContainsSubstring("Resource temporarily unavailable"));
}

TEST_CASE("ledger writer: a full disk leaves whole lines") {
  TemporaryDirectory folder;
  const auto path = folder / "ledger.jsonl";
  LedgerWriter writer(path);
  writer.append(begun(0));
  const std::string before = slipway::read_file(path);
  // Like a full disk, a limit lets the beginning of a line through.
  rlimit old = {};
  getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {before.size() + 20, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  CHECK_THROWS_WITH(writer.append(started(1, 1)), ContainsSubstring("ledger.jsonl"));
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  CHECK(slipway::read_file(path) == before);
  writer.append(started(1, 1));
  CHECK(slipway::read_file(path) == before + to_line(started(1, 1)));
}
