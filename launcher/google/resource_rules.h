// Reads blueprints/catalogue/values.yaml and compute.yaml: what the cloud takes as values and names
// of resources.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace slipway::google {

// A rule about the values of an attribute.
struct ValueRule {
  std::optional<std::regex> pattern;  // of the whole text
  std::optional<int64_t> least, most;
  std::string is;    // "a network tag"
  std::string like;  // "such as gpu-node"
};

// The machine types whose name begins with a prefix.
struct MachineFamily {
  std::string prefix;
  std::string boot;                     // the usual type of a boot disk
  std::vector<std::string> not_usable;  // types of disks that they cannot have
};

struct ResourceRules {
  std::vector<ValueRule> rules;
  // Rules by the attributes to which they apply: "google_compute_disk.size", or "*.project" for
  // every type.
  std::map<std::string, size_t, std::less<>> by_attribute;
  std::vector<std::string> names;                                          // attributes
  std::vector<std::string> scopes;                                         // attributes
  std::map<std::string, std::vector<std::string>, std::less<>> scopes_of;  // by type
  std::vector<std::string> disk_types;
  std::vector<MachineFamily> families;  // the first with a matching prefix counts
};

// From the folder `catalogue` of `library`; without the files, there are no rules. Throws Error if
// a file is invalid.
ResourceRules load_resource_rules(const std::filesystem::path& library);

}  // namespace slipway::google
