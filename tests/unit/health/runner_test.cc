// Tests of how checks are run: in processes that may hang, crash or fail.
#include "launcher/health/runner.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "common/error.h"
#include "tests/unit/catch.h"
#include "tests/unit/health/support.h"

using namespace slipway;
using namespace slipway::health;
using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

namespace {

Family family(const std::string& name, std::function<void(Looking&, const Doing&)> look) {
  return {name, name + "-hang", std::move(look)};
}

Family good(const std::string& name) {
  return family(name, [](Looking& looking, const Doing&) {
    looking.begin("a_check");
    looking.find("gpu-hot", "GPU 1", "99 °C");
    looking.fact("driver_version", "1");
    looking.growth("counter", 7);
  });
}

// The first that we may use.
void stay_on_one_processor() {
  cpu_set_t all, one;
  ::sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &all)) continue;
    CPU_SET(cpu, &one);
    break;
  }
  ::sched_setaffinity(0, sizeof one, &one);
}

}  // namespace

TEST_CASE("runner: what families have seen comes back from their processes") {
  const Look look = run_families({good("one")}, context_with(), 10s);
  CHECK(lines_of(look) == Lines{"gpu-hot GPU 1: 99 °C"});
  CHECK(look.findings.at(0).check == "a_check");
  CHECK(look.facts.at("driver_version") == "1");
  CHECK(look.counters.at("counter") == 7);
  CHECK(look.complete);
}

TEST_CASE("runner: a family that hangs is killed, is told at what, and costs the others nothing") {
  const Family hanging = family("driver", [](Looking&, const Doing& doing) {
    doing("reading GPU 0");
    doing("reading GPU 3");
    ::pause();
  });
  const Look look = run_families({hanging, good("one")}, context_with(), 1s);
  CHECK(lines_of(look) ==
        Lines{"driver-hang driver: reading GPU 3 took longer than 1.0 s", "gpu-hot GPU 1: 99 °C"});
}

TEST_CASE("runner: a family that gets no processor because of others' load does not hang") {
  const pid_t other = ::fork();
  if (other == 0) {
    stay_on_one_processor();
    for (;;) continue;
  }
  const Family starved = family("driver", [](Looking&, const Doing& doing) {
    doing("reading GPU 0");
    stay_on_one_processor();
    ::nice(19);
    for (;;) continue;
  });
  const Look look = run_families({starved}, context_with(), 1s);
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  CHECK(lines_of(look) ==
        Lines{"overloaded driver: reading GPU 0: starved of CPU time by other processes"});
  CHECK_FALSE(look.complete);
}

TEST_CASE("runner: a family that ignores signals to end is killed, too") {
  const Family deaf = family("driver", [](Looking&, const Doing&) {
    ::signal(SIGTERM, SIG_IGN);
    for (;;) ::pause();
  });
  CHECK(run_families({deaf}, context_with(), 100ms).findings.size() == 1);
}

TEST_CASE("runner: a family that crashes or fails is no finding, and the look is not complete") {
  const Look crashed = run_families({family("x",
                                            [](Looking&, const Doing& doing) {
                                              doing("reading GPU 0");
                                              ::kill(::getpid(), SIGKILL);
                                            })},
                                    context_with(), 10s);
  CHECK(crashed.findings.empty());
  CHECK(crashed.skipped.at(0).why == "its process ended while reading GPU 0");
  CHECK_FALSE(crashed.complete);
  const Look failed = run_families(
      {family("x", [](Looking&, const Doing&) { throw Error("no room"); })}, context_with(), 10s);
  CHECK(failed.skipped.at(0).why == "no room");
  CHECK_FALSE(failed.complete);
}

TEST_CASE("runner: bytes that are no text come back as what they can") {
  const Look look = run_families({family("x",
                                         [](Looking& looking, const Doing&) {
                                           looking.begin("c");
                                           looking.find("gpu-hot", "\xff\xfe", "\x80");
                                         })},
                                 context_with(), 10s);
  CHECK(look.findings.size() == 1);
}
