// Reads the table of regions' carbon intensities.
#include "launcher/observe/carbon.h"

#include <fmt/core.h>

#include <vector>

#include "common/error.h"
#include "common/text.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/source/diagnostics.h"

namespace slipway::observe {

double CarbonTable::grams_in(const std::string& region) const {
  const auto found = grams_per_kwh.find(region);
  if (found != grams_per_kwh.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, grams] : grams_per_kwh) known.push_back(name);
  const std::string guess = nearest(region, known);
  throw UsageError(
      fmt::format("the carbon intensity of region `{}` is not known{}; carbon.yaml has the regions",
                  region, guess.empty() ? "" : fmt::format("; did you mean `{}`?", guess)));
}

CarbonTable load_carbon_table(const std::filesystem::path& file) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  CarbonTable table;
  if (const auto root = read_yaml(sources.add_file(file), sources, diagnostics)) {
    cluster::RowReader rows(*root, "the file", diagnostics);
    table.year = rows.text("year");
    table.source = rows.text("source");
    if (const source::Node* regions = rows.mapping("grams_per_kwh")) {
      cluster::RowReader row(*regions, "the regions", diagnostics);
      for (const source::Entry& entry : regions->entries) {
        table.grams_per_kwh[entry.key] = static_cast<double>(row.amount(entry.key));
      }
    }
    rows.finish();
  }
  if (diagnostics.errors() > 0) throw Error(render(diagnostics));
  return table;
}

}  // namespace slipway::observe
