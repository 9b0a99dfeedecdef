// The files of a Terraform group.
#include "launcher/google/group_files.h"

#include <fmt/format.h>

#include "launcher/google/providers.h"

namespace slipway::google {
namespace {

using blueprint::Module;
using expression::Value;

class TerraformGroup {
 public:
  TerraformGroup(const blueprint::Deployment& deployment, size_t group,
                 blueprint::Evaluation& evaluation, Links& links, source::Diagnostics& diagnostics)
      : deployment_(deployment),
        group_(deployment.groups[group]),
        evaluation_(evaluation),
        links_(links),
        diagnostics_(diagnostics) {
    contents_.group = &group_;
    contents_.index = group;
  }

  std::vector<File> write() {
    for (const Module& module : group_.modules) {
      add(module.id + ".tf.json",
          module_file(deployment_, module, evaluation_, links_, contents_, diagnostics_));
    }
    Json outputs = Json::object();
    for (const auto& [name, output] : links_.wanted(contents_.index)) {
      put(outputs, name, *output.module, output.name, "Made for the groups that come later", true);
    }
    for (const Module& module : group_.modules) {
      for (const blueprint::WantedOutput& wanted : module.outputs) {
        if (wanted.automatic) continue;
        put(outputs, wanted.name + "_" + module.id, module, wanted.name, wanted.description,
            wanted.sensitive);
      }
    }
    if (!outputs.empty()) add("outputs.tf.json", {{"output", std::move(outputs)}});
    variables();
    add("versions.tf.json", versions());
    const Json configured = providers();
    if (!configured.empty()) add("providers.tf.json", {{"provider", configured}});
    return std::move(files_);
  }

 private:
  void add(const std::string& name, const Json& file) {
    files_.push_back({group_.name + "/" + name, to_text(file)});
  }

  void put(Json& outputs, const std::string& name, const Module& module, const std::string& output,
           const std::string& description, bool sensitive) {
    const modules::Output* declared =
        module.interface == nullptr ? nullptr : module.interface->output(output);
    if (declared == nullptr) return;  // said by check_references()
    try {
      Json entry{{"value", to_terraform(links_.output(module, output))}};
      if (!description.empty()) entry["description"] = description;
      if (sensitive || declared->sensitive) entry["sensitive"] = true;
      outputs[name] = std::move(entry);
    } catch (const expression::ExpressionError& error) {
      evaluation_.say_within(module, declared->value, error);
    }
  }

  void variables() {
    Json variables = Json::object();
    for (const auto& [name, output] : links_.variables(contents_.index)) {
      Json entry{
          {"type", "any"},
          {"description", fmt::format("Output `{}` of module `{}` in group `{}`", output.name,
                                      output.module->id, deployment_.groups[output.group].name)}};
      if (output.module->interface->output(output.name)->sensitive) entry["sensitive"] = true;
      variables[name] = std::move(entry);
    }
    if (!variables.empty()) add("variables.tf.json", {{"variable", std::move(variables)}});
  }

  // The group's own providers, or the blueprint's.
  const std::vector<blueprint::Provider>& written() const {
    return group_.providers.empty() ? deployment_.providers : group_.providers;
  }

  Json versions() const {
    Json providers = Json::object();
    for (const std::string& name : contents_.providers) {
      Json entry = required_provider(name);
      if (!entry.is_null()) providers[name] = std::move(entry);
    }
    for (const blueprint::Provider& provider : written()) {
      providers[provider.name] = {{"source", provider.source}, {"version", provider.version}};
    }
    Json terraform{{"required_version", ">= 1.5.0"}};
    if (!providers.empty()) terraform["required_providers"] = std::move(providers);
    return {{"terraform", std::move(terraform)}};
  }

  Json providers() {
    Json providers = Json::object();
    if (!written().empty()) {
      for (const blueprint::Provider& provider : written()) {
        const Value value = provider.configuration ? evaluation_.evaluate(provider.configuration)
                                                   : Value(Value::Object());
        providers[provider.name] = to_terraform(value);
      }
      return providers;
    }
    for (const char* name : {"google", "google-beta"}) {
      if (!contents_.providers.contains(name)) continue;
      providers[name] = Json::object();
      for (const auto& [argument, variable] :
           {std::pair{"project", "project_id"}, {"region", "region"}, {"zone", "zone"}}) {
        if (!deployment_.variables.contains(variable)) continue;
        providers[name][argument] = to_terraform(evaluation_.variable(variable));
      }
    }
    return providers;
  }

  const blueprint::Deployment& deployment_;
  const blueprint::Group& group_;
  blueprint::Evaluation& evaluation_;
  Links& links_;
  source::Diagnostics& diagnostics_;
  GroupContents contents_;
  std::vector<File> files_;
};

}  // namespace

std::vector<File> terraform_group(const blueprint::Deployment& deployment, size_t group,
                                  blueprint::Evaluation& evaluation, Links& links,
                                  source::Diagnostics& diagnostics) {
  return TerraformGroup(deployment, group, evaluation, links, diagnostics).write();
}

}  // namespace slipway::google
