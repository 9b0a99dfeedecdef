// Compiles the text of a blueprint to a Deployment.
#include "launcher/blueprint/compile.h"

#include <filesystem>

#include "launcher/blueprint/backends.h"
#include "launcher/blueprint/check.h"
#include "launcher/blueprint/cycles.h"
#include "launcher/blueprint/include.h"
#include "launcher/blueprint/instances.h"
#include "launcher/blueprint/reader.h"
#include "launcher/blueprint/references.h"
#include "launcher/blueprint/staging.h"
#include "launcher/blueprint/toolkit_instead.h"
#include "launcher/blueprint/tpu_nodes.h"
#include "launcher/blueprint/use_check.h"
#include "launcher/blueprint/variables.h"
#include "launcher/blueprint/version_check.h"
#include "launcher/blueprint/wiring.h"

namespace slipway::blueprint {
namespace {

namespace fs = std::filesystem;

void find_interfaces(Deployment& deployment, modules::Library& library,
                     source::Diagnostics& diagnostics) {
  std::vector<std::string> texts;
  for (const Group& group : deployment.groups) {
    for (const Module& module : group.modules) texts.push_back(module.source);
  }
  library.read_ahead(texts, diagnostics);
  for (Group& group : deployment.groups) {
    for (Module& module : group.modules) {
      if (module.source.empty()) continue;
      module.interface = library.find(module.source, diagnostics, module.source_span);
      if (module.interface == nullptr) continue;
      if (module.interface->unreadable) {
        module.interface = nullptr;
        continue;
      }
      if (module.kind.empty()) module.kind = module.interface->kind;
    }
  }
}

// Whether a source in Cluster Toolkit's repository names another release than the blueprint.
bool has_own_version(const Module& module, const Deployment& deployment) {
  const modules::ModuleSource source = modules::parse_source(module.source);
  return !source.path.empty() && !source.ref.empty() && source.ref != deployment.toolkit_version;
}

// Removes the URL of a site's own copy of the library from sources, to which `expand` adds it.
void strip_toolkit_url(Deployment& deployment) {
  if (deployment.toolkit_url.empty()) return;
  const std::string prefix = deployment.toolkit_url + "//";
  for (Group& group : deployment.groups) {
    for (Module& module : group.modules) {
      if (!module.source.starts_with(prefix) || has_own_version(module, deployment)) continue;
      module.source = module.source.substr(prefix.size());
      module.source = module.source.substr(0, module.source.find('?'));
    }
  }
}

// Adds the command line's options about validators to the deployment.
void take_options(Deployment& deployment, const Options& options) {
  if (options.validation_level) deployment.validation_level = *options.validation_level;
  for (const std::string& name : options.skipped_validators) skip_validator(deployment, name);
}

}  // namespace

std::unique_ptr<Compiled> compile(const Texts& texts, const Options& options,
                                  modules::Library& library, source::Sources& sources,
                                  source::Diagnostics& diagnostics) {
  auto compiled = std::make_unique<Compiled>(diagnostics);
  Deployment& deployment = compiled->deployment;
  if (!read_with_includes(texts.blueprint, sources, diagnostics, deployment)) return nullptr;
  for (const Span file : texts.deployment_files) {
    if (const auto node = source::read_yaml(file, sources, diagnostics)) {
      read_deployment_file(*node, sources, diagnostics, deployment);
    }
  }
  for (const Span assignment : texts.assignments) {
    read_assignment(assignment, sources, diagnostics, deployment);
  }
  read_backend_assignments(texts.backend_assignments, sources, diagnostics, deployment);
  take_options(deployment, options);
  if (!check_variables(deployment, diagnostics)) return nullptr;
  make_instances(deployment, diagnostics);
  deployment.index_modules();
  override_settings(deployment, diagnostics);
  strip_toolkit_url(deployment);
  library.look_from(fs::path(deployment.files.front()).parent_path());
  find_interfaces(deployment, library, diagnostics);
  check_versions(deployment, diagnostics);
  check_references(deployment, diagnostics);
  add_labels(deployment);
  wire(deployment, diagnostics);
  count_tpu_nodes(deployment, diagnostics);
  check_cycles(deployment, library, diagnostics);
  use_toolkit_instead(deployment, diagnostics);
  finish_backends(deployment, diagnostics);
  stage_files(deployment, options.need_files, sources, diagnostics);
  check_settings(compiled->evaluation, options.known, diagnostics);
  check_use(deployment, diagnostics);
  return compiled;
}

}  // namespace slipway::blueprint
