// Reads the metadata.yaml of a Terraform module.
#include "launcher/modules/module_metadata.h"

#include <fmt/core.h>

#include "launcher/modules/module_validators.h"
#include "launcher/source/input_limit.h"
#include "launcher/source/yaml.h"

namespace slipway::modules {
namespace {

namespace fs = std::filesystem;
using source::Code;
using source::Node;

// The node at a path of keys, or nullptr.
const Node* at(const Node* node, std::initializer_list<std::string_view> path) {
  for (const std::string_view key : path) {
    node = node != nullptr && node->is_mapping() ? node->find(key) : nullptr;
  }
  return node;
}

void read_services(const Node& services, Interface& interface, source::Diagnostics& diagnostics) {
  if (services.is_null()) return;
  if (!services.is_sequence()) {
    diagnostics.error(Code::bad_module_file, services.span,
                      fmt::format("`services` must be a list, but this is {}", describe(services)));
  }
  for (const Node& service : services.items) {
    if (service.is_scalar()) interface.apis.push_back(service.text);
  }
}

void read_id_input(const Node& node, Interface& interface, source::Diagnostics& diagnostics) {
  if (node.is_null() || (node.is_scalar() && node.text.empty())) return;
  if (node.is_scalar() && interface.input(node.text) != nullptr) {
    interface.id_input = node.text;
    return;
  }
  diagnostics
      .error(
          Code::bad_module_file, node.span,
          fmt::format("`inject_module_id` must name a variable, but there is no `{}`", node.text))
      .help(source::did_you_mean(node.text, interface.input_names()));
}

void read_must_be_used(const Node& node, Interface& interface, source::Diagnostics& diagnostics) {
  const source::Scalar scalar = node.is_scalar() ? source::resolve(node) : source::Scalar();
  if (const bool* value = std::get_if<bool>(&scalar)) {
    interface.must_be_used = *value;
  } else {
    diagnostics.error(Code::bad_module_file, node.span, "expected `true` or `false`");
  }
}

// Adds a rule that warns of a module whose metadata names a day on which it goes away.
void read_deprecation(const Node& ghpc, Interface& interface) {
  const Node* date = ghpc.find("deprecation_date");
  const Node* instead = ghpc.find("alternative_module");
  if (date == nullptr || !date->is_scalar() || date->text.empty()) return;
  Rule rule;
  rule.that = expression::parse("false");
  rule.message = fmt::format("it goes away on {}", date->text);
  if (instead != nullptr && instead->is_scalar() && !instead->text.empty()) {
    rule.message += fmt::format("; use `{}`", instead->text);
  }
  rule.warning = true;
  interface.rules.push_back(std::move(rule));
}

}  // namespace

void read_metadata(const fs::path& folder, Interface& interface, source::Sources& sources,
                   source::Diagnostics& diagnostics) {
  const fs::path file = folder / "metadata.yaml";
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return;
  if (fs::file_size(file, error) > source::max_input_bytes || error) {
    const source::Span name = sources.add(file.string(), "");
    diagnostics.error(Code::bad_module_file, {name.begin, name.begin}, "this file is too large");
    return;
  }
  const auto root = source::read_yaml(sources.add_file(file), sources, diagnostics);
  if (!root) return;
  if (const Node* services = at(&*root, {"spec", "requirements", "services"})) {
    read_services(*services, interface, diagnostics);
  }
  if (const Node* node = at(&*root, {"ghpc", "inject_module_id"})) {
    read_id_input(*node, interface, diagnostics);
  }
  if (const Node* node = at(&*root, {"ghpc", "has_to_be_used"})) {
    read_must_be_used(*node, interface, diagnostics);
  }
  if (const Node* node = at(&*root, {"ghpc", "validators"})) {
    read_metadata_rules(*node, interface, diagnostics);
  }
  if (const Node* node = at(&*root, {"ghpc"})) read_deprecation(*node, interface);
}

}  // namespace slipway::modules
