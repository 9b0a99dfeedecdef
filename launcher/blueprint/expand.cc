// A Deployment in the blueprint language again.
#include "launcher/blueprint/expand.h"

#include <cmath>

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

Json module_tree(const Module& module) {
  Json out{{"id", module.id}, {"source", module.source}, {"kind", module.kind}};
  for (const Use& use : module.uses) out["use"].push_back(use.module);
  Json settings = Json::object();
  for (const auto& [name, setting] : module.settings) settings[name] = tree(*setting.value);
  out["settings"] = std::move(settings);
  for (const WantedOutput& output : module.outputs) {
    Json wanted{{"name", output.name}};
    if (!output.description.empty()) wanted["description"] = output.description;
    if (output.sensitive) wanted["sensitive"] = true;
    out["outputs"].push_back(std::move(wanted));
  }
  return out;
}

void add(Json& out, const char* key, const ExpressionPtr& expression) {
  if (expression) out[key] = tree(*expression);
}

}  // namespace

Json expand(const Deployment& deployment) {
  Json out{{"blueprint_name", deployment.blueprint_name}};
  add(out, "validators", deployment.validators);
  Json variables = Json::object();
  for (const auto& [name, variable] : deployment.variables) variables[name] = tree(*variable.value);
  out["vars"] = std::move(variables);
  add(out, "terraform_backend_defaults", deployment.backend_defaults);
  add(out, "terraform_providers", deployment.providers);
  out["deployment_groups"] = Json::array();
  for (const Group& group : deployment.groups) {
    Json entry{{"group", group.name}};
    add(entry, "terraform_backend", group.backend);
    add(entry, "terraform_providers", group.providers);
    entry["modules"] = Json::array();
    for (const Module& module : group.modules) entry["modules"].push_back(module_tree(module));
    out["deployment_groups"].push_back(std::move(entry));
  }
  return out;
}

}  // namespace slipway::blueprint
