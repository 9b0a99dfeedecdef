// Reads backends, providers and validators.
#include "launcher/blueprint/terraform_reader.h"

#include <fmt/core.h>

#include <algorithm>

namespace slipway::blueprint {
namespace {

using source::Code;
using source::Entry;
using source::Node;

void check_inputs(const Validator& validator, const Node& item, const ValidatorInfo& info,
                  ShapeReader& reader) {
  for (const std::string& name : info.inputs) {
    if (validator.inputs.contains(name) || validator.skip || validator.inputs.empty()) continue;
    reader.diagnostics().error(
        Code::missing_key, validator.span,
        fmt::format("the validator `{}` needs the input `{}`", validator.name, name));
  }
  std::vector<std::string> known = info.inputs;
  known.insert(known.end(), info.optional.begin(), info.optional.end());
  if (const Node* inputs = item.find("inputs"); inputs != nullptr && inputs->is_mapping()) {
    reader.keys(*inputs, fmt::format("the validator `{}`", validator.name), known);
  }
}

}  // namespace

std::optional<Backend> read_backend(const Node& parent, std::string_view key, ShapeReader& reader) {
  const Node* node = parent.find(key);
  if (node == nullptr || node->is_null()) return std::nullopt;
  const std::string what = fmt::format("`{}`", key);
  reader.keys(*node, what, {"type", "configuration"});
  if (!node->is_mapping()) return std::nullopt;
  const Node* type = reader.required(*node, "type", what);
  if (type == nullptr) return std::nullopt;
  Backend backend{reader.literal(*type, "type"), type->span, nullptr};
  if (type->is_scalar() && !type->is_null() &&
      std::find(backend_types().begin(), backend_types().end(), backend.type) ==
          backend_types().end()) {
    reader.diagnostics()
        .error(Code::bad_name, type->span,
               fmt::format("Terraform has no backend `{}`", backend.type))
        .help(source::did_you_mean(backend.type, backend_types()));
  }
  if (const Node* configuration = node->find("configuration")) {
    reader.entries(*configuration, "configuration");
    if (configuration->is_mapping()) backend.configuration = reader.tree(*configuration);
  }
  return backend;
}

// From Terraform 1.11: https://developer.hashicorp.com/terraform/language/backend
const std::vector<std::string>& backend_types() {
  static const std::vector<std::string> types{"azurerm", "consul",     "cos",   "gcs",
                                              "http",    "kubernetes", "local", "oss",
                                              "pg",      "remote",     "s3"};
  return types;
}

std::vector<Provider> read_providers(const Node& parent, ShapeReader& reader) {
  std::vector<Provider> providers;
  const Node* node = parent.find("terraform_providers");
  if (node == nullptr) return providers;
  for (const Entry& entry : reader.entries(*node, "terraform_providers")) {
    reader.keys(entry.value, "a provider", {"source", "version", "configuration"});
    if (!entry.value.is_mapping()) continue;
    Provider provider{entry.key, entry.key_span, {}, {}, nullptr};
    if (const Node* source = reader.required(entry.value, "source", "a provider")) {
      provider.source = reader.literal(*source, "source");
    }
    if (const Node* version = reader.required(entry.value, "version", "a provider")) {
      provider.version = reader.literal(*version, "version");
    }
    if (const Node* configuration = entry.value.find("configuration")) {
      reader.entries(*configuration, "configuration");
      if (configuration->is_mapping()) provider.configuration = reader.tree(*configuration);
    }
    providers.push_back(std::move(provider));
  }
  return providers;
}

std::vector<Validator> read_validators(const Node& node, ShapeReader& reader) {
  std::vector<Validator> result;
  for (const Node& item : reader.list(node, "validators")) {
    reader.keys(item, "a validator", {"validator", "inputs", "skip"});
    const Node* name =
        item.is_mapping() ? reader.required(item, "validator", "a validator") : nullptr;
    if (name == nullptr) continue;
    Validator validator{reader.literal(*name, "validator"), name->span, {}, false};
    validator.skip = reader.flag(item, "skip");
    if (const Node* inputs = item.find("inputs")) {
      validator.inputs = reader.settings(*inputs, "inputs");
    }
    const auto info = std::find_if(
        validators().begin(), validators().end(),
        [&](const ValidatorInfo& candidate) { return candidate.name == validator.name; });
    if (info != validators().end()) {
      check_inputs(validator, item, *info, reader);
    } else {
      reader.diagnostics()
          .error(Code::unknown_key, name->span,
                 fmt::format("there is no validator `{}`", validator.name))
          .help(source::did_you_mean(validator.name, validator_names()));
    }
    result.push_back(std::move(validator));
  }
  return result;
}

std::span<const ValidatorInfo> validators() {
  static const std::vector<ValidatorInfo> table{
      {"test_module_not_used", {}, {}},
      {"test_deployment_variable_not_used", {}, {}},
      {"test_project_exists", {"project_id"}, {}},
      {"test_apis_enabled", {"project_id"}, {}},
      {"test_region_exists", {"project_id", "region"}, {}},
      {"test_zone_exists", {"project_id", "zone"}, {}},
      {"test_zone_in_region", {"project_id", "region", "zone"}, {}},
      {"test_machine_type_in_zone", {"project_id", "zone"}, {"machine_type"}},
      {"test_disk_type_in_zone", {"project_id", "zone"}, {"disk_type"}},
      {"test_reservation_exists", {"project_id", "zone", "reservation_name"}, {}},
      {"test_gcsfuse_iam_role_exists", {"project_id"}, {}},
      {"test_quota_availability", {"project_id"}, {"region", "zone"}},
  };
  return table;
}

std::vector<std::string> validator_names() {
  std::vector<std::string> names;
  for (const ValidatorInfo& info : validators()) names.emplace_back(info.name);
  return names;
}

}  // namespace slipway::blueprint
