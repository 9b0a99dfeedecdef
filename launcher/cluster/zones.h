// The cloud's regions and zones, and which machine types they offer.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::source {
class Diagnostics;
class Sources;
}  // namespace slipway::source

namespace slipway::cluster {

// What an input that names a place can have.
struct KindOfPlace {
  bool regions = false, zones = false;
  bool any_case = false;
  std::vector<std::string> others;  // besides them
  std::string is;                   // "a region"
};

struct Zones {
  std::map<std::string, std::vector<std::string>, std::less<>>
      regions;  // full zone names by region
  std::map<std::string, std::vector<std::string>, std::less<>> offered;  // zones by machine type
  std::map<std::string, KindOfPlace, std::less<>> kinds;

  std::vector<std::string> region_names() const;
  // The region of a zone; empty if there is no such zone.
  std::string_view region_of(std::string_view zone) const;
};

// Reads zones.yaml of `folder` (<blueprints>/catalogue) into `sources`. Problems go to
// `diagnostics`, which must use the same sources. Throws Error if the file cannot be read.
Zones load_zones(const std::filesystem::path& folder, source::Sources& sources,
                 source::Diagnostics& diagnostics);

}  // namespace slipway::cluster
