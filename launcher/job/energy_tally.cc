// Adds up the energy that an attempt's nodes report.
#include "launcher/job/energy_tally.h"

namespace slipway::job {

void EnergyTally::begin(int64_t attempt, const std::vector<std::string>& nodes) {
  open_[attempt].awaited = {nodes.begin(), nodes.end()};
}

void EnergyTally::handle(const AgentEvent& event) {
  if (std::holds_alternative<Gone>(event.news)) {
    for (auto& [attempt, sum] : open_) {
      if (sum.awaited.erase(event.node) > 0) sum.missing.insert(event.node);
    }
  }
  const auto* energy = std::get_if<Energy>(&event.news);
  if (energy == nullptr) return;
  const auto found = open_.find(energy->attempt);
  if (found == open_.end()) return;
  Sum& sum = found->second;
  if (sum.awaited.erase(event.node) == 0) return;
  if (energy->joules) {
    sum.joules = sum.joules.value_or(0) + *energy->joules;
  } else {
    sum.missing.insert(event.node);
  }
}

void EnergyTally::add_to(std::vector<AttemptEnergy>& all, int64_t attempt, const Sum& sum) {
  if (!sum.joules) return;
  AttemptEnergy energy = {attempt, *sum.joules, {sum.missing.begin(), sum.missing.end()}};
  energy.missing.insert(energy.missing.end(), sum.awaited.begin(), sum.awaited.end());
  all.push_back(std::move(energy));
}

std::vector<AttemptEnergy> EnergyTally::complete() {
  std::vector<AttemptEnergy> all;
  for (auto each = open_.begin(); each != open_.end();) {
    if (!each->second.awaited.empty()) {
      ++each;
      continue;
    }
    add_to(all, each->first, each->second);
    each = open_.erase(each);
  }
  return all;
}

std::vector<AttemptEnergy> EnergyTally::rest() {
  std::vector<AttemptEnergy> all;
  for (const auto& [attempt, sum] : open_) add_to(all, attempt, sum);
  open_.clear();
  return all;
}

}  // namespace slipway::job
