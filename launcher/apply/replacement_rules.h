// Reads blueprints/catalogue/replacement.yaml: which changes of a resource make Terraform replace
// it.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

namespace slipway::apply {

struct ReplacementRule {
  // Attributes, as "zone" or "scheduling.preemptible": those that replace the resource, or with
  // `others_replace` those that do not.
  std::vector<std::string> attributes;
  bool others_replace = false;
  std::map<std::string, std::string> passes;  // {"output", "input"}: what changes with what

  // The attributes among the changed ones that replace the resource. `before` and `after` are its
  // definitions; `renewed` has attributes whose value is only known later.
  std::set<std::string> because_of(const nlohmann::ordered_json& before,
                                   const nlohmann::ordered_json& after,
                                   const std::set<std::string>& renewed) const;
};

using ReplacementRules = std::map<std::string, ReplacementRule, std::less<>>;  // by resource type

// From the folder `catalogue` of `library`; without the file, there are no rules. Throws Error if
// the file is invalid.
ReplacementRules load_replacement_rules(const std::filesystem::path& library);

}  // namespace slipway::apply
