// What the energy of a job's GPUs stands for: CO2 by region, and cost.
#include "launcher/commands/ledger_energy.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace slipway::commands {
namespace {

using job::Goodput;

// Energy that nobody measured is unknown, not zero.
const char* at_least(const Goodput& goodput) {
  return goodput.all_joules ? "" : "at least ";
}

double kwh_of(const Goodput& goodput) {
  return goodput.joules.value_or(0) / observe::joules_per_kwh;
}

std::string kilograms(double grams) {
  return grams < 100'000 ? fmt::format("{:.3f} kg", grams / 1000)
                         : fmt::format("{:.1f} kg", grams / 1000);
}

std::string comparison(const Goodput& goodput, const observe::CarbonTable& table) {
  std::vector<std::pair<double, std::string>> rows;
  for (const auto& [region, grams] : table.grams_per_kwh) rows.emplace_back(grams, region);
  std::ranges::sort(rows);
  std::string text = fmt::format("\n{:<26}{:>12}{:>16}\n", "region", "g CO2e/kWh", "this job");
  for (const auto& [grams, region] : rows) {
    text += fmt::format("{:<26}{:>12.2f}{:>16}\n", region, grams,
                        goodput.joules ? kilograms(grams * kwh_of(goodput)) : "unknown");
  }
  return text;
}

}  // namespace

std::string energy_report(const Goodput& goodput, const EnergyQuestions& questions,
                          const observe::CarbonTable& table) {
  std::string text = "\n";
  if (!goodput.joules) {
    text += "energy unknown, and so CO2 and cost: no GPU of the job reported it\n";
  }
  if (!questions.region.empty()) {
    const double grams = table.grams_in(questions.region);
    if (goodput.joules) {
      text += fmt::format("CO2e in {}: {}{}, at {:.2f} g/kWh in {}\n", questions.region,
                          at_least(goodput), kilograms(grams * kwh_of(goodput)), grams, table.year);
    }
  }
  if (questions.price_per_kwh && goodput.joules) {
    text += fmt::format("cost of this energy: {}{:.2f}, at {:g} for each kWh\n", at_least(goodput),
                        *questions.price_per_kwh * kwh_of(goodput), *questions.price_per_kwh);
  }
  if (questions.compare_regions) text += comparison(goodput, table);
  if (!questions.region.empty() || questions.compare_regions) {
    text += fmt::format("{}source: {}\n", questions.compare_regions ? "\n" : "", table.source);
  }
  return text + "GPU energy only: without processors, memory, network and cooling\n";
}

void add_energy(nlohmann::ordered_json& json, const Goodput& goodput,
                const EnergyQuestions& questions, const observe::CarbonTable& table) {
  const auto of_region = [&](const std::string& region, double grams) {
    nlohmann::ordered_json row{
        {"region", region}, {"grams_per_kwh", grams}, {"kilograms", nullptr}};
    if (goodput.joules) row["kilograms"] = grams * kwh_of(goodput) / 1000;
    return row;
  };
  auto rows = nlohmann::ordered_json::array();
  if (!questions.region.empty()) {
    rows.push_back(of_region(questions.region, table.grams_in(questions.region)));
  }
  if (questions.compare_regions) {
    for (const auto& [region, grams] : table.grams_per_kwh) {
      if (region != questions.region) rows.push_back(of_region(region, grams));
    }
  }
  if (!rows.empty()) {
    json["emissions"] = {
        {"scope", "GPU energy"}, {"year", table.year}, {"source", table.source}, {"regions", rows}};
  }
  if (questions.price_per_kwh) {
    json["cost"] = {
        {"scope", "GPU energy"}, {"price_per_kwh", *questions.price_per_kwh}, {"amount", nullptr}};
    if (goodput.joules) json["cost"]["amount"] = *questions.price_per_kwh * kwh_of(goodput);
  }
}

}  // namespace slipway::commands
