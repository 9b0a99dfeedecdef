// Finds the sources of Cluster Toolkit's own modules.
#include "launcher/google/toolkit.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "common/count.h"
#include "common/text.h"
#include "launcher/blueprint/evaluation.h"
#include "launcher/cluster/library_table.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/modules/becomes.h"

namespace slipway::google {
namespace {

using IdsByVersion = std::map<std::string, std::vector<std::string>>;

// The library that a module is from: its folder without the module's path.
std::filesystem::path library_of(const modules::Interface& interface) {
  return interface.folder.substr(0, interface.folder.size() - interface.path.size());
}

// "v1.95.0" of a source with "?ref=v1.95.0"; "its default branch" without.
std::string version_in(const std::string& source) {
  const size_t at = source.find("ref=");
  if (at == std::string::npos) return "its default branch";
  return source.substr(at + 4, source.find('&', at) - at - 4);
}

// Whether the module calls one of Cluster Toolkit's modules beside its resources.
bool calls_another(blueprint::Evaluation& evaluation, const blueprint::Module& module) {
  if (!module.interface->resources) return false;
  const auto& resources = *module.interface->resources;
  try {
    return std::any_of(resources.begin(), resources.end(), [&](const modules::Resource& resource) {
      return resource.type == modules::toolkit_call_type &&
             !evaluation.resource_set(module, resource).members.empty();
    });
  } catch (const expression::ExpressionError&) {
    return false;  // reported where the definitions are made
  }
}

// "2 modules are WHAT, which `terraform init` downloads: a from v1.95.0; b from v1.90.0"
std::string described(const IdsByVersion& versions, const char* one, const char* several) {
  size_t count = 0;
  std::vector<std::string> parts;
  for (const auto& [version, ids] : versions) {
    count += ids.size();
    parts.push_back(fmt::format("{} from {}", join(ids, ", "), version));
  }
  if (count == 0) return {};
  return fmt::format("{} {}, which `terraform init` downloads: {}", counted(count, "module"),
                     count == 1 ? one : several, join(parts, "; "));
}

}  // namespace

Toolkit load_toolkit(const std::filesystem::path& library) {
  Toolkit toolkit;
  cluster::read_library_table(library / "catalogue/toolkit.yaml",
                              [&](const source::Node& root, source::Diagnostics& diagnostics) {
                                cluster::RowReader file(root, "the file", diagnostics);
                                const std::set<std::string> sources = file.keys("sources");
                                toolkit.repository = file.text("repository");
                                toolkit.version = file.text("version");
                                file.finish(sources);
                              });
  return toolkit;
}

std::string toolkit_source(const blueprint::Deployment& deployment,
                           const blueprint::Module& module) {
  return toolkit_source(deployment, module, module.interface->path);
}

// `depth` keeps Terraform from downloading the whole history.
std::string toolkit_source(const blueprint::Deployment& deployment, const blueprint::Module& module,
                           const std::string& path) {
  const std::string& own = module.interface->path;
  if (const size_t at = module.source.find("//" + own);
      module.source != own && at != std::string::npos) {
    return module.source.substr(0, at + 2) + path + module.source.substr(at + 2 + own.size());
  }
  Toolkit from{deployment.toolkit_url, deployment.toolkit_version};
  if (from.repository.empty()) from = load_toolkit(library_of(*module.interface));
  return fmt::format("{}//{}?ref={}&depth=1", from.repository, path, from.version);
}

std::string describe_downloads(const blueprint::Deployment& deployment) {
  source::Sources sources;
  source::Diagnostics diagnostics(sources);
  blueprint::Evaluation evaluation(deployment, diagnostics);
  IdsByVersion whole, parts;
  for (const blueprint::Group& group : deployment.groups) {
    for (const blueprint::Module& module : group.modules) {
      if (modules::toolkit_module(*module.interface) != nullptr) {
        whole[version_in(toolkit_source(deployment, module))].push_back(module.id);
      } else if (calls_another(evaluation, module)) {
        parts[version_in(toolkit_source(deployment, module))].push_back(module.id);
      }
    }
  }
  const std::string first =
      described(whole, "is Cluster Toolkit's own", "are Cluster Toolkit's own");
  const std::string second =
      described(parts, "calls one of Cluster Toolkit's for what is on Kubernetes",
                "call one of Cluster Toolkit's for what is on Kubernetes");
  return first + (first.empty() || second.empty() ? "" : "\n") + second;
}

}  // namespace slipway::google
