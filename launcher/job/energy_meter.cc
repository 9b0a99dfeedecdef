// Measures the energy that this node's GPUs use during an attempt.
#include "launcher/job/energy_meter.h"

#include "common/error.h"
#include "common/text.h"
#include "launcher/health/gpus.h"

namespace slipway::job {
namespace {

constexpr auto driver_limit = std::chrono::seconds(1);
constexpr const char* fact_name = "gpu_energy_mj";

}  // namespace

class EnergyMeter::Reading {
 public:
  using Clock = std::chrono::steady_clock;

  Reading(const Read& read, std::chrono::milliseconds limit) : end_(Clock::now() + limit) {
    health::Family family;
    family.name = "energy";
    family.check = [read](health::CheckRun& run, const health::Doing& doing) {
      if (const auto taken = read(doing)) run.fact(fact_name, std::to_string(*taken));
    };
    try {
      process_ = std::make_unique<health::FamilyProcess>(std::move(family), health::Context{});
    } catch (const Error&) {
      // No process can be started, so there is no figure; the cause is reported elsewhere.
    }
  }

  // Whether there is nothing more to wait for.
  bool over() {
    if (!process_) return true;
    pollfd readable = {process_->fd(), POLLIN, 0};
    while (!process_->ended() && ::poll(&readable, 1, 0) > 0) {
      process_->read();
      readable.fd = process_->fd();
    }
    if (!process_->ended() && Clock::now() < end_) return false;
    const health::CheckResults results = process_->results({});
    const auto fact = results.facts.find(fact_name);
    if (fact != results.facts.end()) taken_ = to_number<uint64_t>(fact->second);
    process_.reset();
    return true;
  }

  std::optional<uint64_t> taken() const { return taken_; }
  const health::FamilyProcess* process() const { return process_.get(); }

 private:
  Clock::time_point end_;
  std::unique_ptr<health::FamilyProcess> process_;
  std::optional<uint64_t> taken_;
};

EnergyMeter::EnergyMeter() : EnergyMeter(health::read_gpu_energy_mj, driver_limit) {}

EnergyMeter::EnergyMeter(Read read, std::chrono::milliseconds limit)
    : read_(std::move(read)), limit_(limit) {}

EnergyMeter::~EnergyMeter() = default;

void EnergyMeter::begin(int64_t attempt) {
  measures_.push_back({attempt, std::make_unique<Reading>(read_, limit_), nullptr});
}

void EnergyMeter::end() {
  if (measures_.empty() || measures_.back().last) return;
  measures_.back().last = std::make_unique<Reading>(read_, limit_);
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
    const auto before = each->first->taken(), after = each->last->taken();
    // A reloaded driver counts from 0 again.
    if (before && after && *after >= *before) {
      measured.joules = static_cast<double>(*after - *before) / 1000;
    }
    all.push_back(measured);
    each = measures_.erase(each);
  }
  return all;
}

std::vector<const EnergyMeter::Reading*> EnergyMeter::readings() const {
  std::vector<const Reading*> all;
  for (const Measure& each : measures_) {
    for (const Reading* reading : {each.first.get(), each.last.get()}) {
      if (reading != nullptr && reading->process() != nullptr) all.push_back(reading);
    }
  }
  return all;
}

std::vector<pollfd> EnergyMeter::descriptors() const {
  std::vector<pollfd> all;
  for (const Reading* each : readings()) all.push_back({each->process()->fd(), POLLIN, 0});
  return all;
}

std::vector<pid_t> EnergyMeter::processes() const {
  std::vector<pid_t> all;
  for (const Reading* each : readings()) all.push_back(each->process()->pid());
  return all;
}

}  // namespace slipway::job
