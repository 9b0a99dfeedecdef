// Finds the sources of Cluster Toolkit's own modules.
#include "launcher/google/toolkit.h"

#include <fmt/core.h>

#include <map>
#include <set>
#include <vector>

#include "common/count.h"
#include "common/text.h"
#include "launcher/cluster/library_table.h"
#include "launcher/cluster/row_reader.h"
#include "launcher/modules/becomes.h"

namespace slipway::google {
namespace {

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

}  // namespace

Toolkit load_toolkit(const std::filesystem::path& library) {
  Toolkit toolkit;
  cluster::read_library_table(library / "catalogue/toolkit.yaml",
                              [&](const source::Node& root, source::Diagnostics& diagnostics) {
                                cluster::RowReader file(root, "the file", diagnostics);
                                const std::set<std::string> sources = file.keys("sources");
                                toolkit.repository = file.text("repository");
                                toolkit.version = file.text("version");
                                file.one_of("source", sources);
                                file.finish();
                              });
  return toolkit;
}

// `depth` keeps Terraform from downloading the whole history.
std::string toolkit_source(const blueprint::Deployment& deployment,
                           const blueprint::Module& module) {
  const std::string& path = module.interface->path;
  if (module.source != path) return module.source;
  Toolkit from{deployment.toolkit_url, deployment.toolkit_version};
  if (from.repository.empty()) from = load_toolkit(library_of(*module.interface));
  return fmt::format("{}//{}?ref={}&depth=1", from.repository, path, from.version);
}

std::string describe_downloads(const blueprint::Deployment& deployment) {
  std::map<std::string, std::vector<std::string>> versions;
  size_t count = 0;
  for (const blueprint::Group& group : deployment.groups) {
    for (const blueprint::Module& module : group.modules) {
      if (modules::toolkit_module(*module.interface) == nullptr) continue;
      versions[version_in(toolkit_source(deployment, module))].push_back(module.id);
      ++count;
    }
  }
  if (count == 0) return {};
  std::vector<std::string> parts;
  for (const auto& [version, ids] : versions) {
    parts.push_back(fmt::format("{} from {}", join(ids, ", "), version));
  }
  return fmt::format("{} Cluster Toolkit's own, which `terraform init` downloads: {}",
                     count == 1 ? "1 module is" : counted(count, "module") + " are",
                     join(parts, "; "));
}

}  // namespace slipway::google
