// Lookups in a Deployment.
#include "launcher/blueprint/deployment.h"

namespace slipway::blueprint {

Deployment::Found Deployment::find(std::string_view id) const {
  if (!positions_.empty()) {
    const auto found = positions_.find(id);
    if (found == positions_.end()) return {};
    const auto [group, module] = found->second;
    return {&groups[group].modules[module], group};
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const Module& module : groups[g].modules) {
      if (module.id == id) return {&module, g};
    }
  }
  return {};
}

const Module* Deployment::source_of(const expression::Value& value) const {
  const auto* unknown = value.as<expression::Unknown>();
  return unknown == nullptr ? nullptr : find(unknown->module).module;
}

void Deployment::index_modules() {
  positions_.clear();
  for (size_t g = 0; g < groups.size(); ++g) {
    for (size_t m = 0; m < groups[g].modules.size(); ++m) {
      positions_.emplace(groups[g].modules[m].id, Position{g, m});  // of duplicates, the first wins
    }
  }
}

std::vector<std::string> Deployment::module_ids() const {
  std::vector<std::string> ids;
  for (const Group& group : groups) {
    for (const Module& module : group.modules) ids.push_back(module.id);
  }
  return ids;
}

std::vector<std::string> Deployment::variable_names() const {
  std::vector<std::string> names;
  for (const auto& [name, variable] : variables) names.push_back(name);
  return names;
}

}  // namespace slipway::blueprint
