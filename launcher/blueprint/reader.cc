// Reads blueprints, deployment files and assignments.
#include "launcher/blueprint/reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "launcher/blueprint/machines_reader.h"
#include "launcher/blueprint/names.h"
#include "launcher/blueprint/terraform_reader.h"
#include "launcher/expression/notation.h"

namespace slipway::blueprint {
namespace {

using source::Code;
using source::Entry;
using source::Node;

class Reader {
 public:
  Reader(const source::Sources& sources, source::Diagnostics& diagnostics, Deployment& deployment)
      : shape_(sources, diagnostics), diagnostics_(diagnostics), deployment_(deployment) {}

  void blueprint(const Node& root, bool included) {
    shape_.keys(
        root, "a blueprint",
        {"blueprint_name", "ghpc_version", "validators", "validation_level", "vars",
         "deployment_groups", "terraform_backend_defaults", "terraform_providers",
         "toolkit_modules_url", "toolkit_modules_version", "include", "settings", "machines"});
    if (!root.is_mapping() || root.entries.empty()) return;
    if (!included) {
      deployment_.blueprint_name_span = root.entries[0].key_span;
      read_name(root);
    }
    read_toolkit(root);
    if (const Node* node = root.find("validation_level")) validation_level(*node);
    if (const Node* node = root.find("vars")) variables(*node);
    if (const Node* node = root.find("validators")) {
      const auto validators = read_validators(*node, shape_);
      deployment_.validators.insert(deployment_.validators.end(), validators.begin(),
                                    validators.end());
    }
    if (auto backend = read_backend(root, "terraform_backend_defaults", shape_)) {
      deployment_.backend_defaults = std::move(backend);
    }
    if (auto providers = read_providers(root, shape_); !providers.empty()) {
      deployment_.providers = std::move(providers);
    }
    read_hosts(root);
    overrides(root);
    read_groups(root, included || root.find("include") != nullptr);
  }

  void deployment_file(const Node& root) {
    shape_.keys(root, "a deployment file",
                {"vars", "terraform_backend_defaults", "settings", "machines"});
    if (const Node* node = root.find("vars")) variables(*node);
    if (auto backend = read_backend(root, "terraform_backend_defaults", shape_)) {
      deployment_.backend_defaults = std::move(backend);
    }
    read_hosts(root);
    overrides(root);
  }

  void variable(const std::string& name, Span span, const Node& value) {
    Variable variable{shape_.tree(value), span};
    if (const auto before = deployment_.variables.find(name);
        before != deployment_.variables.end()) {
      variable.replaced = before->second.replaced;
      variable.replaced.push_back(before->second.span);
    }
    deployment_.variables.insert_or_assign(name, std::move(variable));
  }

 private:
  void read_name(const Node& root) {
    const Node* node =
        shape_.required(root, "blueprint_name", "a blueprint",
                        "if this file is for others to `include`, check one of those instead");
    if (node == nullptr) return;
    deployment_.blueprint_name = shape_.literal(*node, "blueprint_name");
    deployment_.blueprint_name_span = node->span;
    if (node->is_scalar() && !is_label_value(deployment_.blueprint_name)) {
      shape_.bad_name(node->span, "a blueprint's name", deployment_.blueprint_name,
                      "it becomes a label: use at most 63 lowercase letters, digits, `_` and `-`");
    }
  }

  void read_toolkit(const Node& root) {
    const Entry* url = root.find_entry("toolkit_modules_url");
    const Entry* version = root.find_entry("toolkit_modules_version");
    if (url == nullptr && version == nullptr) return;
    if (url == nullptr || version == nullptr) {
      diagnostics_.error(
          Code::missing_key, (url != nullptr ? url : version)->key_span,
          "`toolkit_modules_url` and `toolkit_modules_version` must be set together");
      return;
    }
    deployment_.toolkit_url = shape_.literal(url->value, url->key);
    deployment_.toolkit_version = shape_.literal(version->value, version->key);
    deployment_.toolkit_span = url->value.span;
  }

  void validation_level(const Node& node) {
    const source::Scalar scalar = node.is_scalar() ? source::resolve(node) : source::Scalar();
    const auto* level = std::get_if<long double>(&scalar);
    if (level != nullptr && (*level == 0 || *level == 1 || *level == 2)) {
      deployment_.validation_level = static_cast<Level>(static_cast<int>(*level));
      return;
    }
    diagnostics_.error(Code::wrong_shape, node.span, "`validation_level` must be 0, 1 or 2");
  }

  void variables(const Node& node) {
    if (!node.is_mapping() && !node.is_null()) deployment_.variables_lost = true;
    for (const Entry& entry : shape_.entries(node, "vars")) {
      variable(entry.key, entry.key_span, entry.value);
    }
  }

  void read_hosts(const Node& root) {
    if (auto machines = read_machines(root, shape_)) deployment_.machines = std::move(machines);
  }

  void overrides(const Node& root) {
    const Node* node = root.find("settings");
    if (node == nullptr) return;
    for (const Entry& entry : shape_.entries(*node, "settings")) {
      deployment_.overrides.push_back(
          {entry.key, entry.key_span, shape_.settings(entry.value, entry.key)});
    }
  }

  // `partial`: another file may have the groups.
  void read_groups(const Node& root, bool partial) {
    const Node* groups = root.find("deployment_groups");
    if (groups == nullptr && partial) return;
    groups = shape_.required(root, "deployment_groups", "a blueprint");
    if (groups == nullptr) return;
    const size_t before = deployment_.groups.size();
    for (const Node& node : shape_.list(*groups, "deployment_groups")) group(node, before);
    if (groups->is_null() || (groups->is_sequence() && groups->items.empty())) {
      diagnostics_.error(Code::missing_key, groups->span,
                         "a blueprint needs at least one deployment group");
    }
  }

  // The group to read into: a new one, or one with the same name from an included blueprint, which
  // is among the first `before`.
  Group& group_of(Group group, size_t before) {
    for (size_t g = 0; g < deployment_.groups.size(); ++g) {
      Group& other = deployment_.groups[g];
      if (other.name != group.name) continue;
      if (g < before) {
        if (group.backend) other.backend = std::move(group.backend);
        if (!group.providers.empty()) other.providers = std::move(group.providers);
        return other;
      }
      diagnostics_
          .error(Code::duplicate_id, group.span,
                 fmt::format("two groups are called `{}`", group.name))
          .other(other.span, "first defined here");
    }
    return deployment_.groups.emplace_back(std::move(group));
  }

  void group(const Node& node, size_t before) {
    shape_.keys(node, "a deployment group",
                {"group", "modules", "terraform_backend", "terraform_providers", "kind"});
    if (!node.is_mapping()) return;
    Group read;
    read.span = node.span;
    if (const Node* name = shape_.required(node, "group", "a deployment group")) {
      read.name = shape_.literal(*name, "group");
      read.span = name->span;
      if (name->is_scalar() && (!is_group_name(read.name) || read.name == "_modules")) {
        shape_.bad_name(name->span, "a group's name", read.name,
                        "it becomes a folder name: use letters, digits, `_`, and `-` between them");
      }
    }
    read.backend = read_backend(node, "terraform_backend", shape_);
    read.providers = read_providers(node, shape_);
    Group& group = group_of(std::move(read), before);
    if (const Node* modules = shape_.required(node, "modules", "a deployment group")) {
      for (const Node& item : shape_.list(*modules, "modules")) module(item, group);
      if (modules->items.empty() && !modules->is_mapping()) {
        diagnostics_.error(Code::missing_key, modules->span,
                           fmt::format("the group `{}` has no modules", group.name));
      }
    }
  }

  void module(const Node& node, Group& group) {
    shape_.keys(node, "a module",
                {"id", "source", "kind", "use", "settings", "outputs", "when", "for_each",
                 "depends_on", "required_apis", "wrapsettingswith"});
    if (!node.is_mapping()) return;
    Module module;
    module.id_span = node.span;
    if (const Node* id = shape_.required(node, "id", "a module")) read_id(*id, module);
    if (const Node* path = shape_.required(node, "source", "a module")) {
      module.source = shape_.literal(*path, "source");
      module.source_span = path->span;
      if (path->is_scalar() && !path->is_null() && module.source.empty()) {
        diagnostics_.error(Code::unknown_source, path->span, "`source` is empty");
      }
      if (expression::has_expression(module.source))
        module.source.clear();  // literal() reported it
    }
    module.kind = shape_.optional_literal(node, "kind");
    if (!module.kind.empty() && module.kind != "terraform" && module.kind != "packer") {
      diagnostics_.error(
          Code::bad_name, node.find("kind")->span,
          fmt::format("a module's kind must be `terraform` or `packer`, not `{}`", module.kind));
      module.kind.clear();
    }
    module.when = shape_.optional_tree(node, "when");
    module.for_each = shape_.optional_tree(node, "for_each");
    module.uses = modules_named(node, "use", module.for_each != nullptr);
    const Node* use = node.find("use");
    module.use_failed = use != nullptr && !use->is_sequence() && !use->is_null();
    module.depends_on = modules_named(node, "depends_on", module.for_each != nullptr);
    if (const Node* settings = node.find("settings")) {
      module.settings = shape_.settings(*settings, "settings");
      if (!settings->is_mapping() && !settings->is_null()) module.use_failed = true;
    }
    if (const Node* outputs = node.find("outputs")) {
      for (const Node& output : shape_.list(*outputs, "outputs")) {
        module.outputs.push_back(wanted(output));
      }
    }
    group.modules.push_back(std::move(module));
  }

  // `in_instances`: the names may contain `each`.
  std::vector<Use> modules_named(const Node& node, std::string_view key, bool in_instances) {
    std::vector<Use> names;
    const Node* found = node.find(key);
    if (found == nullptr) return names;
    for (const Node& name : shape_.list(*found, key)) {
      if (in_instances && name.is_scalar() && expression::has_expression(name.text)) {
        names.push_back({name.text, name.span, shape_.tree(name)});
      } else {
        names.push_back({shape_.literal(name, key), name.span});
      }
    }
    return names;
  }

  void read_id(const Node& node, Module& module) {
    module.id = shape_.literal(node, "id");
    module.id_span = node.span;
    if (node.is_scalar() && (!is_module_id(module.id) || module.id == "vars")) {
      shape_.bad_name(node.span, "a module's id", module.id,
                      module.id == "vars"
                          ? "`vars` is reserved for the deployment variables"
                          : "use letters, digits, `_` and `-`, with a letter or `_` first");
    }
    if (const Module* other = deployment_.find(module.id).module) {
      diagnostics_
          .error(Code::duplicate_id, node.span,
                 fmt::format("two modules have the id `{}`", module.id))
          .other(other->id_span, "first defined here");
    }
  }

  WantedOutput wanted(const Node& node) {
    WantedOutput output;
    output.span = node.span;
    if (!node.is_mapping()) {
      output.name = shape_.literal(node, "outputs");
      return output;
    }
    shape_.keys(node, "an output", {"name", "description", "sensitive"});
    if (const Node* name = shape_.required(node, "name", "an output")) {
      output.name = shape_.literal(*name, "name");
      output.span = name->span;
    }
    output.description = shape_.optional_literal(node, "description");
    output.sensitive = shape_.flag(node, "sensitive");
    return output;
  }

  ShapeReader shape_;
  source::Diagnostics& diagnostics_;
  Deployment& deployment_;
};

// The parts of NAME=VALUE.
struct Assignment {
  std::string name;
  Span span;
  Node value;
};
std::optional<Assignment> split(Span assignment, std::string_view option, source::Sources& sources,
                                source::Diagnostics& diagnostics) {
  const std::string text(sources.text(assignment));
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    diagnostics.error(Code::bad_assignment, assignment,
                      fmt::format("expected NAME=VALUE, not `{}`", text));
    return std::nullopt;
  }
  const std::string name = text.substr(0, equals);
  const Span span{assignment.begin, assignment.begin + static_cast<uint32_t>(equals)};
  const Span value = sources.add(fmt::format("{} {}", option, name), text.substr(equals + 1));
  auto node = source::read_yaml(value, sources, diagnostics);
  if (!node) return std::nullopt;
  return Assignment{name, span, *std::move(node)};
}

}  // namespace

std::vector<Include> read_includes(const Node& root, const source::Sources& sources,
                                   source::Diagnostics& diagnostics) {
  std::vector<Include> includes;
  const Node* node = root.find("include");
  if (node == nullptr) return includes;
  ShapeReader shape(sources, diagnostics);
  for (const Node& path : shape.list(*node, "include")) {
    includes.push_back({shape.literal(path, "include"), path.span});
  }
  return includes;
}

void read_blueprint(const Node& root, bool included, const source::Sources& sources,
                    source::Diagnostics& diagnostics, Deployment& deployment) {
  Reader(sources, diagnostics, deployment).blueprint(root, included);
}

void read_deployment_file(const Node& root, const source::Sources& sources,
                          source::Diagnostics& diagnostics, Deployment& deployment) {
  Reader(sources, diagnostics, deployment).deployment_file(root);
}

void read_assignment(Span assignment, source::Sources& sources, source::Diagnostics& diagnostics,
                     Deployment& deployment) {
  if (const auto read = split(assignment, "--vars", sources, diagnostics)) {
    Reader(sources, diagnostics, deployment).variable(read->name, read->span, read->value);
  }
}

void read_backend_assignments(const std::vector<Span>& assignments, source::Sources& sources,
                              source::Diagnostics& diagnostics, Deployment& deployment) {
  if (assignments.empty()) return;
  Backend backend{"gcs", assignments.front(), nullptr};
  expression::ObjectExpression configuration{{}, expression::Form::yaml};
  ShapeReader shape(sources, diagnostics);
  for (const Span assignment : assignments) {
    const auto read = split(assignment, "--backend-config", sources, diagnostics);
    if (!read) continue;
    if (read->name == "type") {
      backend.type = shape.literal(read->value, "type");
      continue;
    }
    configuration.items.push_back(
        {expression::make(read->span, expression::Literal{expression::Value(read->name)}),
         shape.tree(read->value), false});
  }
  backend.configuration = expression::make(backend.span, std::move(configuration));
  deployment.backend_defaults = std::move(backend);
}

}  // namespace slipway::blueprint
