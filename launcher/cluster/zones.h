// Regions and zones of the cloud, and where machine types are offered.
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

struct Zones {
  std::map<std::string, std::vector<std::string>, std::less<>> regions;  // their zones, whole names
  std::map<std::string, std::vector<std::string>, std::less<>> offered;  // a machine type's zones

  std::vector<std::string> region_names() const;
  // The region of a zone by its name; empty when there is no such zone.
  std::string_view region_of(std::string_view zone) const;
};

// Reads zones.yaml of `folder` (<blueprints>/catalogue) into `sources`. What is wrong in it goes to
// `diagnostics`, which must be of the same sources. Throws Error when the file cannot be read.
Zones load_zones(const std::filesystem::path& folder, source::Sources& sources,
                 source::Diagnostics& diagnostics);

}  // namespace slipway::cluster
