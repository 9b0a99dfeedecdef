// Tests of reading a program's step.
#include "launcher/job/step_file.h"

#include "common/file.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::job;

TEST_CASE("step file: a step, and the last one saved for any number of ranks") {
  const TemporaryDirectory folder;
  const auto path = folder.path() / "step";
  const auto read = [&](const std::string& text) {
    write_file(path, text);
    const auto steps = steps_in(path);
    return steps ? std::pair(steps->step, steps->saved) : std::pair<int64_t, int64_t>(-1, -1);
  };
  using Pair = std::pair<int64_t, int64_t>;
  CHECK(read("12\n") == Pair{12, 0});
  CHECK(read("12 10\n") == Pair{12, 10});
  CHECK(read("12   10") == Pair{12, 10});
  CHECK(read("12 of 20") == Pair{12, 0});
  CHECK(read("12 -3") == Pair{12, 0});
  CHECK(read("12\n10\n") == Pair{12, 0});
  CHECK(read("12x10") == Pair{12, 0});
  CHECK(read("-1 5") == Pair{-1, -1});
  CHECK(read("") == Pair{-1, -1});
}
