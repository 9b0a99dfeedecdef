// Looking into a Deployment.
#include "launcher/blueprint/deployment.h"

namespace slipway::blueprint {

Deployment::Found Deployment::find(std::string_view id) const {
  for (size_t g = 0; g < groups.size(); ++g) {
    for (const Module& module : groups[g].modules) {
      if (module.id == id) return {&module, g};
    }
  }
  return {};
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
