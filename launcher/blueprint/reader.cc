// Reads the text of a blueprint.
#include "launcher/blueprint/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "launcher/blueprint/names.h"
#include "launcher/expression/notation.h"
#include "launcher/source/keys.h"

namespace slipway::blueprint {
namespace {

using source::Code;
using source::Entry;
using source::Node;

class Reader {
 public:
  Reader(const source::Sources& sources, source::Diagnostics& diagnostics, Deployment& deployment)
      : sources_(sources), diagnostics_(diagnostics), deployment_(deployment) {}

  void blueprint(const Node& root) {
    keys(root, "a blueprint",
         {"blueprint_name", "ghpc_version", "validators", "validation_level", "vars",
          "deployment_groups", "terraform_backend_defaults", "terraform_providers",
          "toolkit_modules_url", "toolkit_modules_version"});
    if (!root.is_mapping() || root.entries.empty()) return;
    deployment_.blueprint_name_span = root.entries[0].key_span;
    read_name(root);
    if (const Node* node = root.find("vars")) variables(*node);
    if (const Node* node = root.find("validators")) validators(*node);
    deployment_.backend_defaults = optional_tree(root, "terraform_backend_defaults");
    deployment_.providers = optional_tree(root, "terraform_providers");
    if (const Node* groups = required(root, "deployment_groups", "a blueprint")) {
      for (const Node& node : list(*groups, "deployment_groups")) group(node);
      if (groups->is_null() || (groups->is_sequence() && groups->items.empty())) {
        diagnostics_.error(Code::missing_key, groups->span,
                           "a blueprint has at least one deployment group");
      }
    }
  }

  void deployment_file(const Node& root) {
    keys(root, "a deployment file", {"vars", "terraform_backend_defaults"});
    if (const Node* node = root.find("vars")) variables(*node);
    if (auto backend = optional_tree(root, "terraform_backend_defaults")) {
      deployment_.backend_defaults = std::move(backend);
    }
  }

  void variable(const std::string& name, Span span, const Node& value) {
    deployment_.variables.insert_or_assign(name, Variable{tree(value), span});
  }

 private:
  void keys(const Node& node, std::string_view what, std::vector<std::string> known) {
    source::check_keys(node, what, known, node.is_mapping() ? Code::unknown_key : Code::wrong_shape,
                       diagnostics_);
  }

  ExpressionPtr tree(const Node& node) {
    return expression::from_yaml(node, expression::Names::blueprint, sources_, diagnostics_);
  }
  ExpressionPtr optional_tree(const Node& parent, std::string_view key) {
    const Node* node = parent.find(key);
    return node == nullptr || node->is_null() ? nullptr : tree(*node);
  }

  const Node* required(const Node& node, std::string_view key, std::string_view what) {
    const Node* found = node.find(key);
    if (found == nullptr) {
      diagnostics_.error(Code::missing_key, node.span,
                         fmt::format("{} needs the key `{}`", what, key));
    }
    return found;
  }

  const std::vector<Node>& list(const Node& node, std::string_view key) {
    if (!node.is_sequence() && !node.is_null()) {
      diagnostics_.error(Code::wrong_shape, node.span,
                         fmt::format("`{}` is a list, but this is {}", key, describe(node)));
    }
    return node.items;
  }

  const std::vector<Entry>& entries(const Node& node, std::string_view key) {
    if (!node.is_mapping() && !node.is_null()) {
      diagnostics_.error(Code::wrong_shape, node.span,
                         fmt::format("`{}` is a mapping, but this is {}", key, describe(node)));
    }
    return node.entries;
  }

  // A text that stands for itself: names, ids, sources.
  std::string literal(const Node& node, std::string_view key) {
    if (!node.is_scalar() || node.is_null()) {
      diagnostics_.error(Code::wrong_shape, node.span,
                         fmt::format("`{}` is a text, but this is {}", key, describe(node)));
      return {};
    }
    if (expression::has_expression(node.text)) {
      diagnostics_.error(Code::no_expression_here, node.span,
                         fmt::format("`{}` cannot hold an expression", key));
    }
    return node.text;
  }

  std::string optional_literal(const Node& node, std::string_view key) {
    const Node* found = node.find(key);
    return found == nullptr ? std::string() : literal(*found, key);
  }

  void bad_name(Span span, std::string_view what, std::string_view name, std::string rule) {
    diagnostics_.error(Code::bad_name, span, fmt::format("`{}` cannot be {}", name, what))
        .help(std::move(rule));
  }

  void read_name(const Node& root) {
    const Node* node = required(root, "blueprint_name", "a blueprint");
    if (node == nullptr) return;
    deployment_.blueprint_name = literal(*node, "blueprint_name");
    deployment_.blueprint_name_span = node->span;
    if (node->is_scalar() && !is_label_value(deployment_.blueprint_name)) {
      bad_name(node->span, "a blueprint's name", deployment_.blueprint_name,
               "it becomes a label: lower case letters, digits, `_` and `-`, 63 at most");
    }
  }

  void variables(const Node& node) {
    for (const Entry& entry : entries(node, "vars")) {
      variable(entry.key, entry.key_span, entry.value);
    }
  }

  void validators(const Node& node) {
    static const std::vector<std::string> known{
        "test_module_not_used",         "test_deployment_variable_not_used",
        "test_project_exists",          "test_apis_enabled",
        "test_region_exists",           "test_zone_exists",
        "test_zone_in_region",          "test_machine_type_in_zone",
        "test_disk_type_in_zone",       "test_reservation_exists",
        "test_gcsfuse_iam_role_exists", "test_quota_availability"};
    for (const Node& item : list(node, "validators")) {
      keys(item, "a validator", {"validator", "inputs", "skip"});
      const Node* name_node =
          item.is_mapping() ? required(item, "validator", "a validator") : nullptr;
      if (name_node == nullptr) continue;
      const std::string name = literal(*name_node, "validator");
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        diagnostics_
            .error(Code::unknown_key, name_node->span,
                   fmt::format("there is no validator `{}`", name))
            .help(source::did_you_mean(name, known));
      }
      const Node* skip = item.find("skip");
      if (skip != nullptr && skip->text == "true") deployment_.skipped_validators.push_back(name);
    }
    deployment_.validators = tree(node);
  }

  void group(const Node& node) {
    keys(node, "a deployment group",
         {"group", "modules", "terraform_backend", "terraform_providers", "kind"});
    if (!node.is_mapping()) return;
    Group group;
    group.span = node.span;
    if (const Node* name = required(node, "group", "a deployment group")) {
      group.name = literal(*name, "group");
      group.span = name->span;
      if (name->is_scalar() && (!is_group_name(group.name) || group.name == "_modules")) {
        bad_name(name->span, "a group's name", group.name,
                 "it becomes a folder: letters, digits, `_`, and `-` between them");
      }
      for (const Group& other : deployment_.groups) {
        if (other.name != group.name) continue;
        diagnostics_
            .error(Code::duplicate_id, name->span,
                   fmt::format("two groups are called `{}`", group.name))
            .other(other.span, "first here");
      }
    }
    group.backend = optional_tree(node, "terraform_backend");
    group.providers = optional_tree(node, "terraform_providers");
    deployment_.groups.push_back(std::move(group));
    if (const Node* modules = required(node, "modules", "a deployment group")) {
      for (const Node& item : list(*modules, "modules")) module(item);
      if (modules->items.empty() && !modules->is_mapping()) {
        diagnostics_.error(
            Code::missing_key, modules->span,
            fmt::format("the group `{}` has no modules", deployment_.groups.back().name));
      }
    }
  }

  void module(const Node& node) {
    keys(node, "a module",
         {"id", "source", "kind", "use", "settings", "outputs", "required_apis",
          "wrapsettingswith"});
    if (!node.is_mapping()) return;
    Module module;
    module.id_span = node.span;
    if (const Node* id = required(node, "id", "a module")) read_id(*id, module);
    if (const Node* path = required(node, "source", "a module")) {
      module.source = literal(*path, "source");
      module.source_span = path->span;
      if (path->is_scalar() && !path->is_null() && module.source.empty()) {
        diagnostics_.error(Code::unknown_source, path->span, "`source` names no module");
      }
    }
    module.kind = optional_literal(node, "kind");
    if (!module.kind.empty() && module.kind != "terraform" && module.kind != "packer") {
      diagnostics_.error(
          Code::bad_name, node.find("kind")->span,
          fmt::format("a module is of the kind `terraform` or `packer`, not `{}`", module.kind));
    }
    if (const Node* uses = node.find("use")) {
      for (const Node& use : list(*uses, "use"))
        module.uses.push_back({literal(use, "use"), use.span});
    }
    if (const Node* settings = node.find("settings")) {
      for (const Entry& entry : entries(*settings, "settings")) {
        module.settings[entry.key] = {tree(entry.value), Origin::blueprint, entry.key_span, {}};
      }
    }
    if (const Node* outputs = node.find("outputs")) {
      for (const Node& output : list(*outputs, "outputs")) module.outputs.push_back(wanted(output));
    }
    deployment_.groups.back().modules.push_back(std::move(module));
  }

  void read_id(const Node& node, Module& module) {
    module.id = literal(node, "id");
    module.id_span = node.span;
    if (node.is_scalar() && (!is_module_id(module.id) || module.id == "vars")) {
      bad_name(node.span, "a module's id", module.id,
               module.id == "vars" ? "`vars` stands for the deployment variables"
                                   : "letters, digits, `_` and `-`, a letter or `_` first");
    }
    if (const Module* other = deployment_.find(module.id).module) {
      diagnostics_
          .error(Code::duplicate_id, node.span,
                 fmt::format("two modules have the id `{}`", module.id))
          .other(other->id_span, "first here");
    }
  }

  WantedOutput wanted(const Node& node) {
    WantedOutput output;
    output.span = node.span;
    if (!node.is_mapping()) {
      output.name = literal(node, "outputs");
      return output;
    }
    keys(node, "an output", {"name", "description", "sensitive"});
    if (const Node* name = required(node, "name", "an output")) {
      output.name = literal(*name, "name");
      output.span = name->span;
    }
    output.description = optional_literal(node, "description");
    const Node* sensitive = node.find("sensitive");
    output.sensitive = sensitive != nullptr && sensitive->text == "true";
    return output;
  }

  const source::Sources& sources_;
  source::Diagnostics& diagnostics_;
  Deployment& deployment_;
};

}  // namespace

Deployment read_blueprint(const Node& root, const source::Sources& sources,
                          source::Diagnostics& diagnostics) {
  Deployment deployment;
  Reader(sources, diagnostics, deployment).blueprint(root);
  return deployment;
}

void read_deployment_file(const Node& root, const source::Sources& sources,
                          source::Diagnostics& diagnostics, Deployment& deployment) {
  Reader(sources, diagnostics, deployment).deployment_file(root);
}

void read_assignment(Span assignment, source::Sources& sources, source::Diagnostics& diagnostics,
                     Deployment& deployment) {
  const std::string text(sources.text(assignment));
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    diagnostics.error(Code::bad_assignment, assignment,
                      fmt::format("`{}` is not NAME=VALUE", text));
    return;
  }
  const std::string name = text.substr(0, equals);
  const Span span{assignment.begin, assignment.begin + static_cast<uint32_t>(equals)};
  const Span value = sources.add("--vars " + name, text.substr(equals + 1));
  if (const auto node = source::read_yaml(value, sources, diagnostics)) {
    Reader(sources, diagnostics, deployment).variable(name, span, *node);
  }
}

}  // namespace slipway::blueprint
