#include "launcher/local/namespaces.h"

#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/catch.h"

using namespace slipway;
using namespace slipway::local;

namespace {

int64_t nanoseconds(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

// The uptime in a new time namespace, less the time since we began to make it, which is at least as
// long.
int64_t uptime_too_many() {
  Pipe answer = make_pipe();
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() != 0 && ::unshare(CLONE_NEWUSER) != 0) ::_exit(1);
    const int64_t begin = nanoseconds(CLOCK_MONOTONIC);
    start_in_new_namespaces(CLONE_NEWTIME, nullptr, [&] {
      const int64_t up = nanoseconds(CLOCK_BOOTTIME);
      const int64_t more = up - (nanoseconds(CLOCK_MONOTONIC) - begin);
      ::_exit(::write(answer.write.get(), &more, sizeof more) == sizeof more ? 0 : 1);
    });
    ::_exit(0);
  }
  answer.write.reset();
  int64_t more = 0;
  REQUIRE(::read(answer.read.get(), &more, sizeof more) == sizeof more);
  ::waitpid(child, nullptr, 0);
  return more;
}

}  // namespace

TEST_CASE("namespaces: a new one's uptime begins at zero, to the nanosecond") {
  for (int i = 0; i < 20; ++i) CHECK(uptime_too_many() <= 0);
}

TEST_CASE("subordinate ids: found by the user's name or number") {
  const std::string text = "root:1:2\nalice:100000:65536\n1001:200000:65536\n";
  CHECK(subordinate_range(text, "alice", 1000).outside == 100000);
  CHECK(subordinate_range(text, "alice", 1000).count == 65536);
  CHECK(subordinate_range(text, "alice", 1000).inside == 1);
  CHECK(subordinate_range(text, "bob", 1001).outside == 200000);
}

TEST_CASE("subordinate ids: count 0 if the user has none or the line is broken") {
  CHECK(subordinate_range("", "alice", 1000).count == 0);
  CHECK(subordinate_range("al:1:2\nalice:7\n", "alice", 1000).count == 0);
}
