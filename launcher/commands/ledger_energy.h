// What `slipway ledger` says about the energy of a job's GPUs: CO2 and cost.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "launcher/job/goodput.h"
#include "launcher/observe/carbon.h"

namespace slipway::commands {

struct EnergyQuestions {
  std::string region;  // empty: no CO2
  bool compare_regions = false;
  std::optional<double> price_per_kwh;  // in the site's money

  bool any() const { return !region.empty() || compare_regions || price_per_kwh; }
};

// Lines after the rest of the report. Throws UsageError for an unknown region.
std::string energy_report(const job::Goodput& goodput, const EnergyQuestions& questions,
                          const observe::CarbonTable& table);

// The keys `emissions` and `cost`, if the options ask for them.
void add_energy(nlohmann::ordered_json& json, const job::Goodput& goodput,
                const EnergyQuestions& questions, const observe::CarbonTable& table);

}  // namespace slipway::commands
