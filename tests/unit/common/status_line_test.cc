#include "common/status_line.h"

#include "tests/unit/catch.h"

using namespace slipway;
using namespace std::chrono_literals;

TEST_CASE("status line: durations get coarser as they grow") {
  CHECK(duration_text(0s) == "0 s");
  CHECK(duration_text(59s) == "59 s");
  CHECK(duration_text(125s) == "2 min 5 s");
  CHECK(duration_text(3725s) == "1 h 2 min");
}

TEST_CASE("status line: a text is cut between characters, not within one") {
  CHECK(first_columns("building", 20) == "building");
  CHECK(first_columns("building", 5) == "build");
  CHECK(first_columns("für", 2) == "fü");
  CHECK(first_columns("…", 0).empty());
}
