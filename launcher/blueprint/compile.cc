// From the text of a blueprint to a Deployment.
#include "launcher/blueprint/compile.h"

#include <filesystem>

#include "launcher/blueprint/check.h"
#include "launcher/blueprint/hardware.h"
#include "launcher/blueprint/reader.h"
#include "launcher/blueprint/variables.h"
#include "launcher/blueprint/wiring.h"

namespace slipway::blueprint {
namespace {

void find_interfaces(Deployment& deployment, modules::Library& library,
                     source::Diagnostics& diagnostics) {
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

}  // namespace

std::optional<Deployment> compile(const Texts& texts, modules::Library& library,
                                  source::Sources& sources, source::Diagnostics& diagnostics) {
  const auto root = source::read_yaml(texts.blueprint, sources, diagnostics);
  if (!root) return std::nullopt;
  Deployment deployment = read_blueprint(*root, sources, diagnostics);
  for (const source::Span file : texts.deployment_files) {
    if (const auto node = source::read_yaml(file, sources, diagnostics)) {
      read_deployment_file(*node, sources, diagnostics, deployment);
    }
  }
  for (const source::Span assignment : texts.assignments) {
    read_assignment(assignment, sources, diagnostics, deployment);
  }
  if (!check_variables(deployment, diagnostics)) return std::nullopt;
  const std::filesystem::path file(sources.place(texts.blueprint.begin).file);
  library.look_from(file.parent_path());
  find_interfaces(deployment, library, diagnostics);
  check_references(deployment, diagnostics);
  add_labels(deployment);
  wire(deployment, diagnostics);
  count_tpu_nodes(deployment, diagnostics);
  check_settings(deployment, diagnostics);
  return deployment;
}

}  // namespace slipway::blueprint
