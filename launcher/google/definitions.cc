// Converts a Deployment to the files of its groups.
#include "launcher/google/definitions.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "launcher/blueprint/expand.h"
#include "launcher/google/group_files.h"
#include "launcher/google/image_check.h"
#include "launcher/google/instructions.h"
#include "launcher/google/locations.h"
#include "launcher/google/network_addresses.h"
#include "launcher/google/network_use.h"
#include "launcher/google/packer_group.h"
#include "launcher/google/pool_room.h"
#include "launcher/google/record.h"
#include "launcher/google/slurm.h"
#include "launcher/google/staged.h"

namespace slipway::google {
namespace {

bool is_packer(const blueprint::Group& group) {
  return !group.modules.empty() && group.modules[0].interface->kind == "packer";
}

// Reports modules without resources. Returns whether there are none.
bool check_resources(const blueprint::Deployment& deployment, Wanted wanted,
                     source::Diagnostics& diagnostics) {
  bool all_written = true;
  for (const blueprint::Group& group : deployment.groups) {
    for (const blueprint::Module& module : group.modules) {
      const modules::Interface& interface = *module.interface;
      const bool written = interface.kind == "packer" ? interface.packer_template != nullptr
                                                      : interface.resources.has_value();
      if (interface.foreign || written) continue;
      all_written = false;
      const std::string message =
          fmt::format("module `{}` cannot be created on Google Cloud: `{}` has no resources yet",
                      module.id, module.source);
      (wanted == Wanted::files
           ? diagnostics.error(source::Code::no_resources, module.source_span, message)
           : diagnostics.warning(source::Code::no_resources, module.source_span, message))
          .help("use another module, or your own Terraform module in its place");
    }
  }
  return all_written;
}

// Whether the user asks for what the input does not do: with a setting, or with a variable of its
// name, which may be there for other modules, so its value must differ from the default. A required
// input takes its variable in every blueprint.
bool is_asked_for(const blueprint::Module& module, const modules::Input& input,
                  blueprint::Evaluation& evaluation) {
  const auto setting = module.settings.find(input.name);
  if (setting == module.settings.end()) return false;
  if (setting->second.origin == blueprint::Origin::blueprint) return true;
  if (setting->second.origin != blueprint::Origin::variable || input.required) return false;
  const expression::Value& value = evaluation.input(module, input.name);
  return !value.is_null() && !(value == input.default_value);
}

// Warns of settings without effect, before the user looks for their effect in a running cluster.
void check_settings(const blueprint::Deployment& deployment, blueprint::Evaluation& evaluation,
                    source::Diagnostics& diagnostics) {
  std::set<uint32_t> variables;  // a variable that several modules have is reported once
  for (const blueprint::Group& group : deployment.groups) {
    for (const blueprint::Module& module : group.modules) {
      for (const modules::Input& input : module.interface->inputs) {
        if (input.no_effect.empty() || !is_asked_for(module, input, evaluation)) continue;
        const blueprint::Setting& setting = module.settings.at(input.name);
        if (setting.origin == blueprint::Origin::variable &&
            !variables.insert(setting.span.begin).second) {
          continue;
        }
        diagnostics
            .warning(source::Code::setting_without_effect, setting.span,
                     fmt::format("`{}` of module `{}` has no effect", input.name, module.id))
            .help(input.no_effect);
      }
    }
  }
}

// Reports module ids that would collide with other files of the group.
void check_ids(const blueprint::Deployment& deployment, source::Diagnostics& diagnostics) {
  for (const blueprint::Group& group : deployment.groups) {
    for (const blueprint::Module& module : group.modules) {
      for (const char* name : {"backend", "outputs", "providers", "variables", "versions"}) {
        if (module.id != name || is_packer(group)) continue;
        diagnostics.error(
            source::Code::duplicate_id, module.id_span,
            fmt::format("the module id `{0}` cannot be used: `{0}.tf.json` is a file of the group "
                        "itself",
                        name));
      }
    }
  }
}

void check_inputs(const blueprint::Deployment& deployment, ResourceCheck& resources) {
  for (const blueprint::Group& group : deployment.groups) {
    for (const blueprint::Module& module : group.modules) {
      if (!module.interface->foreign) resources.check_inputs(module);
    }
  }
}

}  // namespace

Definitions define(const Source& source, source::Diagnostics& diagnostics) {
  blueprint::Evaluation& evaluation = source.evaluation;
  const blueprint::Deployment& deployment = evaluation.deployment();
  Definitions definitions;
  definitions.deployment = deployment.name;
  const bool all_written = check_resources(deployment, source.wanted, diagnostics);
  check_ids(deployment, diagnostics);
  check_settings(deployment, evaluation, diagnostics);
  check_images(deployment, evaluation, load_image_table(source.library), diagnostics);
  check_network_use(deployment, evaluation, diagnostics);
  check_network_addresses(deployment, evaluation, source.zones, diagnostics);
  check_pool_room(deployment, evaluation, diagnostics);
  if (source.zones != nullptr) check_locations(deployment, evaluation, *source.zones, diagnostics);
  Links links(deployment, evaluation, diagnostics);
  ResourceCheck resources(load_resource_rules(source.library), source.catalogue, evaluation,
                          diagnostics);
  const Providers providers = load_providers(source.library);
  Context context{deployment, evaluation,  links,       resources,
                  providers,  diagnostics, definitions, source.wanted == Wanted::files};
  copy_staged_files(context, source.library);
  if (diagnostics.errors() > 0 || !all_written) {
    check_inputs(deployment, resources);
    return definitions;
  }
  if (source.cluster != nullptr) add_slurm(context, *source.cluster, *source.catalogue);
  // Last group first, since it determines which outputs the earlier groups need.
  for (size_t group = deployment.groups.size(); group-- > 0;) {
    if (is_packer(deployment.groups[group])) {
      write_packer_group(context, group);
    } else {
      write_terraform_group(context, group);
    }
    for (const auto& [name, output] : links.variables(group)) {
      definitions.groups.back().inputs.push_back({name, deployment.groups[output.group].name});
    }
  }
  std::reverse(definitions.groups.begin(), definitions.groups.end());
  check_inputs(deployment, resources);
  if (!context.writes_files) return definitions;
  context.add(".gitignore", fmt::format("/.slipway/lock\n/.slipway/log/\n/.slipway/plan/\n/*/"
                                        ".terraform/\n/*/terraform.tfstate*\n/*/{}\n/*/{}\n",
                                        terraform_inputs, packer_inputs));
  context.add("instructions.txt", instructions(definitions));
  context.add(blueprint_file, blueprint::to_yaml(blueprint::expand(deployment)));
  context.add(record_file, record(definitions));
  std::sort(definitions.files.begin(), definitions.files.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  return definitions;
}

void read_ahead(const std::filesystem::path& library) {
  try {
    load_resource_rules(library);
  } catch (const Error&) {  // define() throws it in its turn
  }
}

}  // namespace slipway::google
