// Tests of the process that writes the image of --container-save: it is the user's, who can stop
// it, and slurmstepd must end anyway.
#include "spank-plugins/container/saving.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>

#include "tests/unit/catch.h"

using namespace slipway::container;
using namespace std::chrono_literals;

namespace {

const User self = {::geteuid(), ::getegid(), {}};

template <class Body>
std::chrono::steady_clock::duration time_of(Body body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::steady_clock::now() - begin;
}

}  // namespace

TEST_CASE("container save: it says what went wrong, or nothing") {
  const Saving good(self, 0, [] {}, {});
  CHECK(good.run(10s).empty());
  CHECK(good.has_run());
  const Saving bad(self, 0, [] { throw std::runtime_error("the disk is full"); }, {});
  CHECK(bad.run() == "the disk is full");
}

TEST_CASE("container save: slurmstepd waits for a limited time, and the process then ends") {
  CHECK(time_of([] {
          const Saving saving(self, 0, [] { ::raise(SIGSTOP); }, {});
          CHECK(saving.run(100ms) == "it takes too long, and Slurm has ended the step");
          CHECK_FALSE(saving.has_run());
        }) < 10s);
}

TEST_CASE(
    "container save: a process that nobody asked ends with its owner, even if it was stopped") {
  pid_t writer = 0;
  CHECK(time_of([&] {
          const Saving saving(self, 0, [] {}, {});
          writer = saving.writer();
          ::kill(writer, SIGSTOP);
        }) < 10s);
  CHECK(::kill(writer, 0) != 0);
}
