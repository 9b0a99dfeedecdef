// Tests of the energy of GPUs: measured on a node, and added up by the launcher.
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "launcher/job/energy_meter.h"
#include "launcher/job/energy_tally.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::job;
using namespace std::chrono_literals;
using Nodes = std::vector<std::string>;

namespace {

// A counter in a file, because readings are made in other processes.
EnergyMeter::Read from(const std::filesystem::path& file) {
  return [file](const health::Doing&) -> std::optional<uint64_t> {
    uint64_t number = 0;
    std::ifstream text(file);
    if (!(text >> number)) return std::nullopt;
    return number;
  };
}

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

std::vector<MeasuredEnergy> wait_for_finished(EnergyMeter& meter) {
  for (int i = 0; i < 2000; ++i) {
    const auto all = meter.finished();
    if (!all.empty()) return all;
    std::this_thread::sleep_for(5ms);
  }
  return {};
}

void wait_for_readings(EnergyMeter& meter) {
  for (int i = 0; i < 2000 && !meter.processes().empty(); ++i) {
    meter.finished();
    std::this_thread::sleep_for(5ms);
  }
}

AgentEvent said(const std::string& node, int64_t attempt, std::optional<double> joules) {
  return {node, Energy{attempt, joules}};
}

}  // namespace

TEST_CASE("energy: the increase of the counters during an attempt, returned once") {
  const TemporaryDirectory folder;
  write(folder / "counter", "1500");
  EnergyMeter meter(from(folder / "counter"), 60s);
  meter.begin(3);
  wait_for_readings(meter);
  CHECK(meter.finished().empty());
  write(folder / "counter", "4000");
  meter.end();
  meter.end();
  const auto measured = wait_for_finished(meter);
  REQUIRE(measured.size() == 1);
  CHECK(measured[0].attempt == 3);
  CHECK(measured[0].joules == 2.5);
  CHECK(meter.finished().empty());
}

TEST_CASE("energy: without counters, or if they were reset, there is no figure") {
  const TemporaryDirectory folder;
  const bool has_counter = GENERATE(true, false);
  if (has_counter) write(folder / "counter", "1500");
  EnergyMeter meter(from(folder / "counter"), 60s);
  meter.begin(1);
  wait_for_readings(meter);
  if (has_counter) write(folder / "counter", "1499");
  meter.end();
  const auto measured = wait_for_finished(meter);
  REQUIRE(measured.size() == 1);
  CHECK_FALSE(measured[0].joules);
}

TEST_CASE("energy: a hanging driver delays nobody, and its reading is abandoned") {
  const auto hangs = [](const health::Doing&) -> std::optional<uint64_t> {
    for (;;) ::pause();
  };
  const auto begin = std::chrono::steady_clock::now();
  {
    EnergyMeter patient(hangs, 1h);
    patient.begin(1);
    patient.end();
    patient.begin(2);
    CHECK(patient.finished().empty());
    CHECK(patient.processes().size() == 3);
  }
  CHECK(std::chrono::steady_clock::now() - begin < 1min);
  EnergyMeter meter(hangs, 50ms);
  meter.begin(1);
  meter.end();
  const auto measured = wait_for_finished(meter);
  REQUIRE(measured.size() == 1);
  CHECK(measured[0].attempt == 1);
  CHECK_FALSE(measured[0].joules);
}

TEST_CASE("energy: an attempt's sum is complete once each node has reported") {
  EnergyTally tally;
  tally.begin(1, {"n1", "n2"});
  tally.handle(said("n1", 1, 2.5));
  CHECK(tally.complete().empty());
  tally.begin(2, {"n1", "n3"});
  tally.handle(said("n2", 1, 3));
  tally.handle(said("n2", 1, 3));
  const auto complete = tally.complete();
  REQUIRE(complete.size() == 1);
  CHECK(complete[0].attempt == 1);
  CHECK(complete[0].joules == 5.5);
  CHECK(complete[0].missing.empty());
  CHECK(tally.complete().empty());
  CHECK(tally.waits());
}

TEST_CASE("energy: nodes that are gone, silent or without a figure are listed as missing") {
  EnergyTally tally;
  tally.begin(1, {"n1", "n2", "n3"});
  tally.begin(2, {"n1", "n3", "n4"});
  tally.handle(said("n1", 1, 2));
  tally.handle({"n2", Gone{"no heartbeat"}});
  tally.handle(said("n3", 1, std::nullopt));
  const auto complete = tally.complete();
  REQUIRE(complete.size() == 1);
  CHECK(complete[0].missing == Nodes{"n2", "n3"});
  tally.handle(said("n3", 2, 4));
  const auto rest = tally.rest();
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].joules == 4);
  CHECK(rest[0].missing == Nodes{"n1", "n4"});
  CHECK_FALSE(tally.waits());
}

TEST_CASE("energy: an attempt without any node's figure has no figure") {
  EnergyTally tally;
  tally.begin(1, {"n1"});
  tally.handle(said("n1", 1, std::nullopt));
  CHECK(tally.complete().empty());
  CHECK_FALSE(tally.waits());
}
