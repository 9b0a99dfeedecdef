// Helpers for reading the nodes of a blueprint.
#include "launcher/blueprint/shape_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "launcher/expression/notation.h"
#include "launcher/source/keys.h"

namespace slipway::blueprint {

using source::Code;
using source::Entry;
using source::Node;

void ShapeReader::keys(const Node& node, std::string_view what, std::vector<std::string> known) {
  source::check_keys(node, what, known, node.is_mapping() ? Code::unknown_key : Code::wrong_shape,
                     diagnostics_);
  for (const Entry& entry : node.entries) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      unknown_.insert(entry.key_span.begin);
    }
  }
}

const Node* ShapeReader::required(const Node& node, std::string_view key, std::string_view what,
                                  std::string_view hint) {
  const Node* found = node.find(key);
  // The key has a typo, which has already been reported.
  const bool misspelt =
      std::any_of(node.entries.begin(), node.entries.end(), [&](const Entry& entry) {
        return unknown_.contains(entry.key_span.begin) &&
               !source::did_you_mean(entry.key, std::vector{std::string(key)}).empty();
      });
  if (found == nullptr && !misspelt) {
    diagnostics_
        .error(Code::missing_key, node.span, fmt::format("{} needs the key `{}`", what, key))
        .help(std::string(hint));
  }
  return found;
}

const std::vector<Node>& ShapeReader::list(const Node& node, std::string_view key) {
  if (!node.is_sequence() && !node.is_null()) {
    diagnostics_
        .error(Code::wrong_shape, node.span,
               fmt::format("`{}` must be a list, but this is {}", key, describe(node)))
        .help(node.is_scalar() && node.text.find_first_of("[],") == node.text.npos
                  ? fmt::format("write a list of one item as `[{}]`", node.text)
                  : std::string());
  }
  return node.items;
}

const std::vector<Entry>& ShapeReader::entries(const Node& node, std::string_view key) {
  if (!node.is_mapping() && !node.is_null()) {
    diagnostics_.error(Code::wrong_shape, node.span,
                       fmt::format("`{}` must be a mapping, but this is {}", key, describe(node)));
  }
  return node.entries;
}

std::string ShapeReader::literal(const Node& node, std::string_view key) {
  if (!node.is_scalar() || node.is_null()) {
    diagnostics_.error(Code::wrong_shape, node.span,
                       fmt::format("`{}` must be a string, but this is {}", key, describe(node)));
    return {};
  }
  if (expression::has_expression(node.text)) {
    diagnostics_.error(Code::no_expression_here, node.span,
                       fmt::format("`{}` cannot contain an expression", key));
  }
  return node.text;
}

std::string ShapeReader::optional_literal(const Node& node, std::string_view key) {
  const Node* found = node.find(key);
  return found == nullptr ? std::string() : literal(*found, key);
}

bool ShapeReader::flag(const Node& node, std::string_view key) {
  const Node* found = node.find(key);
  if (found == nullptr) return false;
  const source::Scalar scalar = found->is_scalar() ? source::resolve(*found) : source::Scalar();
  const bool* value = std::get_if<bool>(&scalar);
  if (value == nullptr) {
    diagnostics_.error(
        Code::wrong_shape, found->span,
        fmt::format("`{}` must be `true` or `false`, but this is {}", key, describe(*found)));
  }
  return value != nullptr && *value;
}

ExpressionPtr ShapeReader::tree(const Node& node) {
  return expression::from_yaml(node, expression::NameSyntax::blueprint, sources_, diagnostics_);
}

ExpressionPtr ShapeReader::optional_tree(const Node& parent, std::string_view key) {
  const Node* node = parent.find(key);
  return node == nullptr || node->is_null() ? nullptr : tree(*node);
}

Settings ShapeReader::settings(const Node& node, std::string_view key) {
  Settings settings;
  for (const Entry& entry : entries(node, key)) {
    settings[entry.key] = {tree(entry.value), Origin::blueprint, entry.key_span};
  }
  return settings;
}

void ShapeReader::bad_name(Span span, std::string_view what, std::string_view name,
                           std::string rule) {
  if (expression::has_expression(name)) return;  // reported by literal()
  diagnostics_.error(Code::bad_name, span, fmt::format("`{}` cannot be {}", name, what))
      .help(std::move(rule));
}

}  // namespace slipway::blueprint
