#include "common/pidfd.h"

#include <unistd.h>

#include <csignal>

#include "common/child.h"
#include "tests/unit/catch.h"

using namespace slipway;
using namespace std::chrono_literals;

TEST_CASE("pidfd: kills a process and waits for its end") {
  const pid_t child = fork_child("a sleeper");
  if (child == 0) {
    while (true) ::pause();
  }
  const Fd process = open_pidfd(child);
  REQUIRE(process);
  CHECK_FALSE(ends_within(process, 0ms));
  CHECK_FALSE(ends_within(process, 20ms));
  kill_process(process);
  wait_for_end(process);
  CHECK(ends_within(process, 0ms));
  CHECK(wait_for_child(child) == SIGKILL);

  // Reaped: the descriptor still means that process, which has ended; its number means nobody.
  CHECK(ends_within(process, 0ms));
  kill_process(process);
  CHECK_FALSE(open_pidfd(child));
}

TEST_CASE("pidfd: a process that is gone has ended") {
  const Fd nobody;
  CHECK(ends_within(nobody, 1h));
  wait_for_end(nobody);
  kill_process(nobody);
}
