// Writes a Deployment as a blueprint.
#include "launcher/blueprint/expand.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "launcher/expression/notation.h"

namespace slipway::blueprint {
namespace {

using expression::Expression;
using expression::Value;
using Json = nlohmann::ordered_json;

Json number(Value::Number number) {
  if (std::nearbyint(number) != number || std::fabs(number) >= 9e18L) {
    return static_cast<double>(number);
  }
  return static_cast<int64_t>(number);
}

Json scalar(const Value& value) {
  if (const auto* boolean = value.as<bool>()) return *boolean;
  if (const auto* n = value.as<Value::Number>()) return number(*n);
  if (const auto* text = value.as<std::string>()) return expression::escape(*text);
  return nullptr;
}

Json tree(const Expression& expression) {
  if (const auto* literal = expression.as<expression::Literal>()) return scalar(literal->value);
  if (const auto* tuple = expression.as<expression::Tuple>();
      tuple != nullptr && tuple->form == expression::Form::yaml) {
    Json list = Json::array();
    for (const ExpressionPtr& item : tuple->items) list.push_back(tree(*item));
    return list;
  }
  if (const auto* object = expression.as<expression::ObjectExpression>();
      object != nullptr && object->form == expression::Form::yaml) {
    Json mapping = Json::object();
    for (const expression::ObjectItem& item : object->items) {
      const auto* key = item.key->as<expression::Literal>();
      mapping[*key->value.as<std::string>()] = tree(*item.value);
    }
    return mapping;
  }
  return "((" + to_hcl(expression) + "))";
}

Json settings_tree(const Settings& settings) {
  Json out = Json::object();
  for (const auto& [name, setting] : settings) out[name] = tree(*setting.value);
  return out;
}

// The source of a module, including the URL of a site's copy of the library.
std::string source_of(const Module& module, const Deployment& deployment) {
  const bool in_library =
      module.source.starts_with("modules/") || module.source.starts_with("community/modules/");
  if (deployment.toolkit_url.empty() || !in_library) return module.source;
  return fmt::format("{}//{}?ref={}&depth=1", deployment.toolkit_url, module.source,
                     deployment.toolkit_version);
}

Json module_tree(const Module& module, const Deployment& deployment) {
  Json out{{"id", module.id}, {"source", source_of(module, deployment)}, {"kind", module.kind}};
  for (const Use& use : module.uses) out["use"].push_back(use.module);
  for (const Use& use : module.depends_on) out["depends_on"].push_back(use.module);
  out["settings"] = settings_tree(module.settings);
  for (const WantedOutput& output : module.outputs) {
    Json wanted{{"name", output.name}};
    if (!output.description.empty()) wanted["description"] = output.description;
    if (output.sensitive) wanted["sensitive"] = true;
    out["outputs"].push_back(std::move(wanted));
  }
  return out;
}

void add(Json& out, const char* key, const std::optional<Backend>& backend) {
  if (!backend) return;
  Json entry{{"type", backend->type}};
  if (backend->configuration) entry["configuration"] = tree(*backend->configuration);
  out[key] = std::move(entry);
}

void add(Json& out, const std::vector<Provider>& providers) {
  for (const Provider& provider : providers) {
    Json entry{{"source", provider.source}, {"version", provider.version}};
    if (provider.configuration) entry["configuration"] = tree(*provider.configuration);
    out["terraform_providers"][provider.name] = std::move(entry);
  }
}

void add(Json& out, const std::vector<Validator>& validators) {
  for (const Validator& validator : validators) {
    Json entry{{"validator", validator.name}};
    if (!validator.inputs.empty()) entry["inputs"] = settings_tree(validator.inputs);
    if (validator.skip) entry["skip"] = true;
    out["validators"].push_back(std::move(entry));
  }
}

// As the blueprint would write it: "gpu1.example.org", or "gpu1=10.0.0.1".
std::string host_text(const Host& host) {
  const bool is_plain = host.address == host.name || host.address.starts_with(host.name + ".");
  return is_plain ? host.address : host.name + "=" + host.address;
}

void add(Json& out, const Machines& machines) {
  Json entry = Json::object();
  const SshAccess& ssh = machines.ssh;
  if (!ssh.user.empty()) entry["ssh"]["user"] = ssh.user;
  if (ssh.port != 0) entry["ssh"]["port"] = ssh.port;
  if (!ssh.identity_file.empty()) entry["ssh"]["identity_file"] = ssh.identity_file;
  if (!ssh.options.empty()) entry["ssh"]["options"] = ssh.options;
  if (!machines.packages.empty()) entry["packages"] = machines.packages;
  entry["hosts"] = Json::object();
  for (const HostsOfModule& each : machines.modules) {
    Json& hosts = entry["hosts"][each.module] = Json::array();
    for (const Host& host : each.hosts) hosts.push_back(host_text(host));
  }
  out["machines"] = std::move(entry);
}

}  // namespace

Json expand(const Deployment& deployment) {
  Json out{{"blueprint_name", deployment.blueprint_name}};
  if (!deployment.toolkit_url.empty()) {
    out["toolkit_modules_url"] = deployment.toolkit_url;
    out["toolkit_modules_version"] = deployment.toolkit_version;
  }
  add(out, deployment.validators);
  if (deployment.validation_level != Level::error) {
    out["validation_level"] = static_cast<int>(deployment.validation_level);
  }
  Json variables = Json::object();
  for (const auto& [name, variable] : deployment.variables) variables[name] = tree(*variable.value);
  out["vars"] = std::move(variables);
  add(out, "terraform_backend_defaults", deployment.backend_defaults);
  add(out, deployment.providers);
  if (deployment.machines) add(out, *deployment.machines);
  out["deployment_groups"] = Json::array();
  for (const Group& group : deployment.groups) {
    Json entry{{"group", group.name}};
    add(entry, "terraform_backend", group.backend);
    add(entry, group.providers);
    entry["modules"] = Json::array();
    for (const Module& module : group.modules)
      entry["modules"].push_back(module_tree(module, deployment));
    out["deployment_groups"].push_back(std::move(entry));
  }
  return out;
}

}  // namespace slipway::blueprint
