// Reads zones.yaml of the catalogue.
#include "launcher/cluster/zones.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "launcher/cluster/row_reader.h"
#include "launcher/source/table.h"

namespace slipway::cluster {
namespace {

// Reads a mapping from regions to the letters of their zones, and returns the full zone names.
std::map<std::string, std::vector<std::string>, std::less<>> read_regions(
    const source::Node& node, std::string_view what, source::Diagnostics& diagnostics) {
  std::map<std::string, std::vector<std::string>, std::less<>> regions;
  RowReader row(node, std::string(what), diagnostics);
  for (const source::Entry& entry : node.entries) {
    std::vector<std::string>& zones = regions[entry.key];
    for (const std::string& letter : row.texts(entry.key)) {
      zones.push_back(fmt::format("{}-{}", entry.key, letter));
    }
  }
  row.finish();
  return regions;
}

void read_offer(const source::Node& item, Zones& zones, source::Diagnostics& diagnostics) {
  RowReader row(item, "an offer", diagnostics);
  const std::vector<std::string> machine_types = row.texts("machine_types");
  const source::Node* places = row.mapping("zones");
  row.finish();
  if (places == nullptr) return;
  for (const auto& [region, names] : read_regions(*places, "zones of an offer", diagnostics)) {
    const auto known = zones.regions.find(region);
    for (const std::string& name : names) {
      if (known == zones.regions.end() ||
          std::ranges::find(known->second, name) == known->second.end()) {
        row.wrong(places->find_entry(region)->key_span, fmt::format("there is no zone `{}`", name));
      }
    }
    for (const std::string& machine : machine_types) {
      std::vector<std::string>& offered = zones.offered[machine];
      offered.insert(offered.end(), names.begin(), names.end());
    }
  }
}

void read_kinds(const source::Node& kinds, const std::set<std::string>& sources, Zones& zones,
                source::Diagnostics& diagnostics) {
  for (const source::Entry& entry : kinds.entries) {
    RowReader row(entry.value, fmt::format("the kind `{}`", entry.key), diagnostics);
    KindOfPlace kind;
    kind.is = row.text("is");
    kind.others = row.optional_texts("others");
    kind.regions = row.optional_text("regions") == "true";
    kind.zones = row.optional_text("zones") == "true";
    kind.any_case = row.optional_text("any_case") == "true";
    if (row.finish(sources)) zones.kinds[entry.key] = std::move(kind);
  }
}

}  // namespace

std::vector<std::string> Zones::region_names() const {
  std::vector<std::string> names;
  for (const auto& [name, zones] : regions) names.push_back(name);
  return names;
}

std::string_view Zones::region_of(std::string_view zone) const {
  const auto found = regions.find(zone.substr(0, zone.rfind('-')));
  if (found == regions.end()) return {};
  const bool there = std::ranges::find(found->second, zone) != found->second.end();
  return there ? std::string_view(found->first) : std::string_view();
}

Zones load_zones(const std::filesystem::path& folder, source::Sources& sources,
                 source::Diagnostics& diagnostics) {
  Zones zones;
  const auto root = read_table(folder / "zones.yaml", sources, diagnostics);
  if (!root) return zones;
  RowReader file(*root, "the file", diagnostics);
  if (const source::Node* regions = file.mapping("regions")) {
    zones.regions = read_regions(*regions, "the regions", diagnostics);
  }
  if (const source::Node* offers = file.sequence("offered")) {
    for (const source::Node& item : offers->items) read_offer(item, zones, diagnostics);
  }
  if (file.has("kinds")) {
    const std::set<std::string> sources = file.keys("sources");
    if (const source::Node* kinds = file.mapping("kinds")) {
      read_kinds(*kinds, sources, zones, diagnostics);
    }
  }
  file.finish();
  return zones;
}

}  // namespace slipway::cluster
