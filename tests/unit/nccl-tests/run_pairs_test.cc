#include "nccl-tests/run_pairs.h"

#include "common/error.h"
#include "common/file.h"
#include "nccl-tests/report.h"
#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/sample.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::bandwidth;

namespace {

std::string report_text() {
  const std::vector<Row> rows = {sample_row(1 << 20, 2, 1)};
  return to_json(sample_setup(), rows, judge(sample_setup(), rows), "x");
}

}  // namespace

TEST_CASE("run pairs: each pair runs both commands, in the order of the lot") {
  const TemporaryDirectory directory;
  write_file(directory / "report", report_text());
  const std::string log = (directory / "log").string();
  const std::string copy = "cp " + (directory / "report").string() + " {report}; exit 1";
  int lot = 0, started = 0;
  const Sides sides = run_pairs({.before = "echo before >> " + log + "; " + copy,
                                 .after = "echo after >> " + log + "; " + copy,
                                 .pairs = 3,
                                 .folder = directory.path(),
                                 .after_first = [&] { return lot++ == 1; },
                                 .on_start =
                                     [&](int number, int all) {
                                       CHECK(number == ++started);
                                       CHECK(all == 6);
                                     }});
  CHECK(read_file(directory / "log") == "before\nafter\nafter\nbefore\nbefore\nafter\n");
  CHECK(sides.paired);
  CHECK(sides.before.size() == 3);
  CHECK(sides.after.size() == 3);
  CHECK(sides.after[2].name.ends_with("after-03.json"));
}

TEST_CASE("run pairs: without {report} the option is appended, in quotes") {
  CHECK(command_for("all_gather_perf -b 8", "/a b/it's.json") ==
        "all_gather_perf -b 8 --report '/a b/it'\\''s.json'");
  CHECK(command_for("sbatch --wait job {report} && cat {report}", "/r") ==
        "sbatch --wait job '/r' && cat '/r'");
}

TEST_CASE("run pairs: a command without a report is an error that shows what it wrote") {
  const TemporaryDirectory directory;
  CHECK_THROWS_WITH(
      run_pairs({.before = "echo no GPU >&2; exit 3 #",
                 .after = "true #",
                 .pairs = 1,
                 .folder = directory.path(),
                 .after_first = [] { return false; }}),
      ContainsSubstring("ended with status 3 and left no report") && ContainsSubstring("no GPU"));
}
