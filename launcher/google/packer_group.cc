// Writes the files of a Packer group.
#include "launcher/google/packer_group.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "launcher/blueprint/secrets.h"
#include "launcher/expression/json.h"
#include "launcher/google/module_file.h"

namespace slipway::google {
namespace {

using blueprint::Module;
using expression::Value;

// What the template makes images from is a machine, with the names and values of one.
void check_sources(Context& context, const Module& module, const Json& written) {
  const Json types = written.value("source", Json::object());
  for (const auto& [type, sources] : types.items()) {
    for (const auto& [name, body] : sources.items()) context.resources.check(module, type, body);
  }
}

void write_template(Context& context, const Module& module, size_t group, GroupSteps& steps) {
  try {
    const Value body = context.evaluation.evaluate_in(module, module.interface->packer_template);
    const Json written = to_terraform(context.links.resolve(body, group), Nulls::left_out);
    Json file = head(module);
    blueprint::Secrets secrets(context.deployment);
    for (const auto& [name, output] : context.links.variables(group)) {
      file["variable"][name] = {
          {"description",
           fmt::format("Output `{}` of module `{}` in group `{}`", output.name, output.module->id,
                       context.deployment.groups[output.group].name)}};
      if (secrets.output(output.module->id, output.name))
        file["variable"][name]["sensitive"] = true;
    }
    check_sources(context, module, written);
    file.update(written);
    steps.packer_target = module.id + ".pkr.json";
    context.add(steps.name + "/" + steps.packer_target, file);
  } catch (const expression::ExpressionError& error) {
    context.evaluation.report_in_module(module, module.interface->packer_template, error);
  }
}

void write_values(Context& context, const Module& module, size_t group, GroupSteps& steps) {
  Json values = Json::object();
  for (const auto& [name, setting] : module.settings) {
    if (module.interface->input(name) == nullptr) continue;
    try {
      const Value value = context.links.resolve(context.evaluation.input(module, name), group);
      if (value.is_known()) {
        values[name] = Json::parse(expression::to_json(value));  // strings are literal there
      } else {
        steps.late_settings[name] = "${" + to_hcl(*to_expression(value)) + "}";
      }
    } catch (const expression::ExpressionError& error) {
      report(error, setting.span, context.diagnostics);
    }
  }
  steps.packer_target = module.id;
  steps.packer_values = module.id + ".pkrvars.json";
  context.add(steps.name + "/" + steps.packer_values, values);
  context.definitions.copies.push_back(
      {steps.name + "/" + module.id, module.interface->folder, module.source_span});
}

}  // namespace

void write_packer_group(Context& context, size_t group) {
  const blueprint::Group& written = context.deployment.groups[group];
  GroupSteps steps;
  steps.name = written.name;
  steps.kind = "packer";
  for (const Module& module : written.modules) {
    if (module.interface->foreign) {
      write_values(context, module, group, steps);
    } else {
      write_template(context, module, group, steps);
    }
  }
  context.definitions.groups.push_back(std::move(steps));
}

}  // namespace slipway::google
