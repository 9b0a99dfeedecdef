// What energy stands for: CO2 by the grid of a region, and money by a site's price.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace slipway::observe {

inline constexpr double joules_per_kwh = 3.6e6;

// blueprints/catalogue/carbon.yaml.
struct CarbonTable {
  std::string year, source;
  std::map<std::string, double> grams_per_kwh;  // of CO2 equivalent, by region

  // Throws UsageError with a suggestion for an unknown region: it is an error, not a zero.
  double grams_in(const std::string& region) const;
};

// Throws Error if the file is wrong.
CarbonTable load_carbon_table(const std::filesystem::path& file);

}  // namespace slipway::observe
