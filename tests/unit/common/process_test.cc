#include "common/process.h"

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace std::chrono_literals;

TEST_CASE("run_process: collects both streams and the exit status") {
  const ProcessResult result = run_process({"sh", "-c", "echo out; echo err >&2; exit 3"});
  CHECK(result.output == "out\n");
  CHECK(result.errors == "err\n");
  CHECK(result.exit_code == 3);
}

TEST_CASE("run_process: gives a large stdin while it reads a large stdout") {
  const std::string text(1 << 20, 'x');
  CHECK(run_process({"cat"}, {.input = text}).output == text);
}

TEST_CASE("run_process: a child that does not read its stdin is no error") {
  CHECK(run_process({"true"}, {.input = std::string(1 << 20, 'x')}).ok());
}

TEST_CASE("run_process: a signal shows as 128 and its number") {
  CHECK(run_process({"sh", "-c", "kill -TERM $$"}).exit_code == 143);
}

TEST_CASE("run_process: kills the child and its children at the deadline") {
  const ProcessResult result =
      run_process({"sh", "-c", "sleep 60 & sleep 60"}, {.input = "", .deadline = 50ms});
  CHECK(result.timed_out);
  CHECK_FALSE(result.ok());
}

TEST_CASE("run_process: the deadline holds for a child that has closed its streams, too") {
  const ProcessResult result =
      run_process({"sh", "-c", "exec >&- 2>&-; sleep 60"}, {.input = "", .deadline = 50ms});
  CHECK(result.timed_out);
}

TEST_CASE("run_process: names a program that cannot be started") {
  CHECK_THROWS_WITH(run_process({"no-such-program"}),
                    "cannot start no-such-program: No such file or directory");
}

TEST_CASE("run_checked: says the command, its status and what it complained of") {
  CHECK_THROWS_WITH(run_checked({"sh", "-c", "echo broken >&2; exit 4"}),
                    "`sh -c echo broken >&2; exit 4` failed (exit status 4): broken");
}
