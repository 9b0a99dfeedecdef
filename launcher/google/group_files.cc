// Writes the files of a Terraform group.
#include "launcher/google/group_files.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "launcher/blueprint/secrets.h"
#include "launcher/google/foreign_module.h"
#include "launcher/google/module_file.h"
#include "launcher/google/providers.h"
#include "launcher/modules/becomes.h"

namespace slipway::google {
namespace {

using blueprint::Module;
using expression::Value;

class TerraformGroup {
 public:
  TerraformGroup(Context& context, size_t group)
      : context_(context), group_(context.deployment.groups[group]) {
    contents_.group = &group_;
    contents_.index = group;
  }

  void write() {
    for (const Module& module : group_.modules) {
      add(module.id, modules::is_called(*module.interface)
                         ? foreign_module(context_, module, contents_)
                         : module_file(context_, module, contents_));
    }
    outputs();
    variables();
    add("versions", versions());
    const Json configured = providers();
    if (!configured.empty()) add("providers", {{"provider", configured}});
    if (group_.backend) add("backend", backend(*group_.backend));
    GroupSteps steps;
    steps.name = group_.name;
    steps.kind = "terraform";
    context_.definitions.groups.push_back(std::move(steps));
  }

 private:
  void add(const std::string& name, const Json& file) {
    context_.add(fmt::format("{}/{}.tf.json", group_.name, name), file);
  }

  void outputs() {
    Json outputs = Json::object();
    for (const auto& [name, output] : context_.links.wanted(contents_.index)) {
      put(outputs, name, *output.module, {output.name, "Used by later groups", true, true, {}});
    }
    for (const Module& module : group_.modules) {
      for (const blueprint::WantedOutput& wanted : module.outputs) {
        put(outputs, wanted.name + "_" + module.id, module, wanted);
      }
    }
    if (!outputs.empty()) add("outputs", {{"output", std::move(outputs)}});
  }

  void put(Json& outputs, const std::string& name, const Module& module,
           const blueprint::WantedOutput& wanted) {
    const modules::Output* declared = module.interface->output(wanted.name);
    if (declared == nullptr) return;  // reported by check_references()
    try {
      const Value& value = context_.links.output(module, wanted.name);
      Json entry{{"value", to_terraform(value)}};
      if (!wanted.description.empty()) entry["description"] = wanted.description;
      const bool secret =
          wanted.sensitive || value.is_sensitive() || secrets_.output(module.id, wanted.name);
      if (secret) entry["sensitive"] = true;
      outputs[name] = std::move(entry);
    } catch (const expression::ExpressionError& error) {
      context_.evaluation.report_in_module(module, declared->value, error);
    }
  }

  void variables() {
    Json variables = Json::object();
    for (const auto& [name, output] : context_.links.variables(contents_.index)) {
      Json entry{{"type", "any"},
                 {"description",
                  fmt::format("Output `{}` of module `{}` in group `{}`", output.name,
                              output.module->id, context_.deployment.groups[output.group].name)}};
      if (is_secret(output)) entry["sensitive"] = true;
      variables[name] = std::move(entry);
    }
    if (!variables.empty()) add("variables", {{"variable", std::move(variables)}});
  }

  // Terraform knows that an output is sensitive, but the variable that it becomes must be marked.
  bool is_secret(const Links::Output& output) {
    return secrets_.output(output.module->id, output.name) ||
           context_.links.output(*output.module, output.name).is_sensitive();
  }

  // The group's own providers, or the blueprint's.
  const std::vector<blueprint::Provider>& written() const {
    return group_.providers.empty() ? context_.deployment.providers : group_.providers;
  }

  Json versions() const {
    Json providers = Json::object();
    for (const auto& [name, least] : contents_.providers) {
      Json entry = context_.providers.required(name, least);
      if (!entry.is_null()) providers[name] = std::move(entry);
    }
    for (const blueprint::Provider& provider : written()) {
      providers[provider.name] = {{"source", provider.source}, {"version", provider.version}};
    }
    const std::string version = version_text(std::max(least_terraform, contents_.terraform));
    Json terraform{{"required_version", ">= " + version}};
    if (!providers.empty()) terraform["required_providers"] = std::move(providers);
    return {{"terraform", std::move(terraform)}};
  }

  Json providers() {
    Json providers = Json::object();
    if (!written().empty()) {
      for (const blueprint::Provider& provider : written()) {
        providers[provider.name] = known(provider.configuration, provider.span);
      }
      return providers;
    }
    for (const char* name : {"google", "google-beta"}) {
      if (!contents_.providers.contains(name) && !contents_.foreign_providers.contains(name)) {
        continue;
      }
      providers[name] = Json::object();
      for (const auto& [argument, variable] :
           {std::pair{"project", "project_id"}, {"region", "region"}, {"zone", "zone"}}) {
        if (!context_.deployment.variables.contains(variable)) continue;
        providers[name][argument] = to_terraform(context_.evaluation.variable(variable));
      }
    }
    return providers;
  }

  Json backend(const blueprint::Backend& backend) {
    return {
        {"terraform", {{"backend", {{backend.type, known(backend.configuration, backend.span)}}}}}};
  }

  // A mapping that may use variables; an empty mapping if it is null.
  Json known(const expression::ExpressionPtr& configuration, source::Span span) {
    if (!configuration) return Json::object();
    try {
      return to_terraform(context_.evaluation.evaluate(configuration));
    } catch (const expression::ExpressionError& error) {
      report(error, span, context_.diagnostics);
      return Json::object();
    }
  }

  Context& context_;
  const blueprint::Group& group_;
  GroupContents contents_;
  blueprint::Secrets secrets_{context_.deployment};
};

}  // namespace

void write_terraform_group(Context& context, size_t group) {
  TerraformGroup(context, group).write();
}

}  // namespace slipway::google
