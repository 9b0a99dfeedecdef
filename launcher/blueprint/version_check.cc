// Compares a blueprint with the release of Cluster Toolkit that it names.
#include "launcher/blueprint/version_check.h"

#include <fmt/core.h>

#include <filesystem>
#include <map>

#include "launcher/modules/lifetimes.h"
#include "launcher/modules/module_source.h"

namespace slipway::blueprint {
namespace {

using source::Code;

// The library that a module is from; empty for the user's own.
std::filesystem::path library_of(const Module& module) {
  const modules::Interface& interface = *module.interface;
  const bool inside =
      !interface.foreign && interface.folder.ends_with("/" + interface.path) &&
      (interface.path.starts_with("modules/") || interface.path.starts_with("community/modules/"));
  if (!inside) return {};
  return interface.folder.substr(0, interface.folder.size() - interface.path.size());
}

// The release that the blueprint wants of a module; empty for none, a branch or a commit.
std::string wanted_version(const Deployment& deployment, const Module& module) {
  const bool by_path = module.source == module.interface->path;
  const std::string version =
      by_path ? deployment.toolkit_version : modules::parse_source(module.source).ref;
  return modules::is_version(version) ? version : std::string();
}

}  // namespace

void check_versions(const Deployment& deployment, source::Diagnostics& diagnostics) {
  std::map<std::filesystem::path, modules::Lifetimes> libraries;
  for (const Group& group : deployment.groups) {
    for (const Module& module : group.modules) {
      if (module.interface == nullptr) continue;
      const std::string version = wanted_version(deployment, module);
      const std::filesystem::path library = library_of(module);
      if (version.empty() || library.empty()) continue;
      if (!libraries.contains(library)) libraries[library] = modules::read_lifetimes(library);
      const modules::Lifetimes& known = libraries[library];
      const std::string& path = module.interface->path;
      const modules::Lifetime* own = known.module(path);
      if (const std::string why = own == nullptr ? "" : came_later(*own, version); !why.empty()) {
        diagnostics
            .error(Code::unknown_source, module.source_span,
                   fmt::format("Cluster Toolkit {} has no module `{}`", version, path))
            .help(why);
        continue;
      }
      for (const auto& [name, setting] : module.settings) {
        const modules::Lifetime* lifetime = known.input(path, name);
        const std::string why = lifetime == nullptr ? "" : came_later(*lifetime, version);
        // Without the input, the check of settings says so.
        if (why.empty() || module.interface->input(name) == nullptr) continue;
        diagnostics
            .error(Code::unknown_setting, setting.span,
                   fmt::format("module `{}` has no setting `{}` in Cluster Toolkit {}", module.id,
                               name, version))
            .help(why);
      }
    }
  }
}

std::string setting_history(const Deployment& deployment, const Module& module,
                            const std::string& setting) {
  const std::filesystem::path library = library_of(module);
  if (library.empty()) return {};
  const modules::Lifetimes known = modules::read_lifetimes(library);
  const std::string here = modules::library_version(library);
  if (!modules::is_version(here)) return {};
  if (const modules::Lifetime* lifetime = known.input(module.interface->path, setting)) {
    const std::string gone = went_away(*lifetime);
    const std::string later = came_later(*lifetime, here);
    if (!gone.empty() || later.empty()) return gone;
    return fmt::format("{}; the library has the modules of {}: see `slipway modules import`", later,
                       here);
  }
  const std::string wanted = wanted_version(deployment, module);
  if (wanted.empty()) return {};
  if (modules::compare_versions(wanted, here) <= 0) return {};
  return fmt::format(
      "the library has the modules of {}, which is older than {}: `slipway modules import {}`",
      here, wanted, wanted);
}

}  // namespace slipway::blueprint
