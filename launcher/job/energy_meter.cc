// Measures the energy that this node's GPUs use during an attempt.
#include "launcher/job/energy_meter.h"

#include "common/error.h"
#include "common/text.h"
#include "launcher/health/gpus.h"

namespace slipway::job {
namespace {

constexpr auto driver_limit = std::chrono::seconds(1);

std::optional<uint64_t> millijoules(const DriverReading& reading) {
  return reading.taken() ? to_number<uint64_t>(*reading.taken()) : std::nullopt;
}

}  // namespace

EnergyMeter::EnergyMeter() : EnergyMeter(health::read_gpu_energy_mj, driver_limit) {}

EnergyMeter::EnergyMeter(Read read, std::chrono::milliseconds limit)
    : read_([read = std::move(read)](const health::Doing& doing) {
        const auto taken = read(doing);
        return taken ? std::optional(std::to_string(*taken)) : std::nullopt;
      }),
      limit_(limit) {}

EnergyMeter::~EnergyMeter() = default;

void EnergyMeter::begin(int64_t attempt) {
  measures_.push_back({attempt, std::make_unique<DriverReading>(read_, limit_), nullptr});
}

void EnergyMeter::end() {
  if (measures_.empty() || measures_.back().last) return;
  measures_.back().last = std::make_unique<DriverReading>(read_, limit_);
}

std::vector<MeasuredEnergy> EnergyMeter::finished() {
  std::vector<MeasuredEnergy> all;
  for (auto each = measures_.begin(); each != measures_.end();) {
    const bool first_over = each->first->over();
    if (!each->last || !each->last->over() || !first_over) {
      ++each;
      continue;
    }
    MeasuredEnergy measured = {each->attempt, std::nullopt};
    const auto before = millijoules(*each->first), after = millijoules(*each->last);
    // A reloaded driver counts from 0 again.
    if (before && after && *after >= *before) {
      measured.joules = static_cast<double>(*after - *before) / 1000;
    }
    all.push_back(measured);
    each = measures_.erase(each);
  }
  return all;
}

std::vector<const DriverReading*> EnergyMeter::readings() const {
  std::vector<const DriverReading*> all;
  for (const Measure& each : measures_) {
    for (const DriverReading* reading : {each.first.get(), each.last.get()}) {
      if (reading != nullptr && reading->process() != nullptr) all.push_back(reading);
    }
  }
  return all;
}

std::vector<pollfd> EnergyMeter::descriptors() const {
  std::vector<pollfd> all;
  for (const DriverReading* each : readings()) all.push_back({each->process()->fd(), POLLIN, 0});
  return all;
}

std::vector<pid_t> EnergyMeter::processes() const {
  std::vector<pid_t> all;
  for (const DriverReading* each : readings()) all.push_back(each->process()->pid());
  return all;
}

}  // namespace slipway::job
