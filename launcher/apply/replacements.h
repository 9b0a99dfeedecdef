// Follows a change of definitions from resource to resource, as Terraform does: what is replaced
// has new attributes, and they may replace what refers to them.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "launcher/apply/replacement_rules.h"

namespace slipway::apply {

// A resource or data source that is in the definitions before and after.
struct Definition {
  const nlohmann::ordered_json* before = nullptr;
  const nlohmann::ordered_json* after = nullptr;
};

struct Effect {
  std::set<std::string> renewed;  // attributes whose new value is known only later
  std::set<std::string> because;  // attributes that replace the resource; empty: it stays
};

// The effects on what changes or refers to a change, by address.
std::map<std::string, Effect> effects(const std::map<std::string, Definition>& definitions,
                                      const ReplacementRules& rules);

}  // namespace slipway::apply
