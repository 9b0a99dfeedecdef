// Tests of running checks in processes that may hang, crash or fail.
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

Family family(const std::string& name, std::function<void(CheckRun&, const Doing&)> results) {
  return {name, name + "-hang", std::move(results)};
}

Family good(const std::string& name) {
  return family(name, [](CheckRun& run, const Doing&) {
    run.begin("a_check");
    run.find("gpu-hot", "GPU 1", "99 °C");
    run.fact("driver_version", "1");
    run.growth("counter", 7);
  });
}

// The first CPU that we may use.
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

TEST_CASE("runner: families return their results from their processes") {
  const CheckResults results = run_families({good("one")}, context_with(), 10s);
  CHECK(lines_of(results) == Lines{"gpu-hot GPU 1: 99 °C"});
  CHECK(results.findings.at(0).check == "a_check");
  CHECK(results.facts.at("driver_version") == "1");
  CHECK(results.counters.at("counter") == 7);
  CHECK(results.complete);
}

TEST_CASE("runner: a hanging family is killed, with its last step reported, and delays no other") {
  const Family hanging = family("driver", [](CheckRun&, const Doing& doing) {
    doing("reading GPU 0");
    doing("reading GPU 3");
    ::pause();
  });
  const CheckResults results = run_families({hanging, good("one")}, context_with(), 1s);
  CHECK(lines_of(results) ==
        Lines{"driver-hang driver: reading GPU 3 took longer than 1.0 s", "gpu-hot GPU 1: 99 °C"});
}

TEST_CASE("runner: a family starved of CPU by other processes is not reported as hanging") {
  const pid_t other = ::fork();
  if (other == 0) {
    stay_on_one_processor();
    for (;;) continue;
  }
  const Family starved = family("driver", [](CheckRun&, const Doing& doing) {
    doing("reading GPU 0");
    stay_on_one_processor();
    ::nice(19);
    for (;;) continue;
  });
  const CheckResults results = run_families({starved}, context_with(), 1s);
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  CHECK(lines_of(results) ==
        Lines{"overloaded driver: reading GPU 0: starved of CPU time by other processes"});
  CHECK_FALSE(results.complete);
}

TEST_CASE("runner: a family that ignores termination signals is killed too") {
  const Family deaf = family("driver", [](CheckRun&, const Doing&) {
    ::signal(SIGTERM, SIG_IGN);
    for (;;) ::pause();
  });
  CHECK(run_families({deaf}, context_with(), 100ms).findings.size() == 1);
}

TEST_CASE(
    "runner: a family that crashes or fails is not a finding, but the results are incomplete") {
  const CheckResults crashed = run_families({family("x",
                                                    [](CheckRun&, const Doing& doing) {
                                                      doing("reading GPU 0");
                                                      ::kill(::getpid(), SIGKILL);
                                                    })},
                                            context_with(), 10s);
  CHECK(crashed.findings.empty());
  CHECK(crashed.skipped.at(0).why == "its process ended while reading GPU 0");
  CHECK_FALSE(crashed.complete);
  const CheckResults failed = run_families(
      {family("x", [](CheckRun&, const Doing&) { throw Error("no room"); })}, context_with(), 10s);
  CHECK(failed.skipped.at(0).why == "no room");
  CHECK_FALSE(failed.complete);
}

TEST_CASE("runner: invalid UTF-8 is returned as far as possible") {
  const CheckResults results = run_families({family("x",
                                                    [](CheckRun& run, const Doing&) {
                                                      run.begin("c");
                                                      run.find("gpu-hot", "\xff\xfe", "\x80");
                                                    })},
                                            context_with(), 10s);
  CHECK(results.findings.size() == 1);
}
