// Helpers with which all parts of the blueprint reader read a node: keys, lists, mappings, strings.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/blueprint/deployment.h"
#include "launcher/source/yaml.h"

namespace slipway::blueprint {

// Each function reports errors in the node and returns a usable value even then.
class ShapeReader {
 public:
  ShapeReader(const source::Sources& sources, source::Diagnostics& diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {}

  void keys(const source::Node& node, std::string_view what, std::vector<std::string> known);

  // The value of a required key; nullptr, and a diagnostic with this hint, if it is missing.
  const source::Node* required(const source::Node& node, std::string_view key,
                               std::string_view what, std::string_view hint = {});

  const std::vector<source::Node>& list(const source::Node& node, std::string_view key);
  const std::vector<source::Entry>& entries(const source::Node& node, std::string_view key);

  // A string without expressions, such as a name, id or source.
  std::string literal(const source::Node& node, std::string_view key);
  std::string optional_literal(const source::Node& node, std::string_view key);
  bool flag(const source::Node& node, std::string_view key);  // false without it

  ExpressionPtr tree(const source::Node& node);
  ExpressionPtr optional_tree(const source::Node& parent, std::string_view key);  // null without it

  // Each entry of a mapping as a setting.
  Settings settings(const source::Node& node, std::string_view key);

  void bad_name(Span span, std::string_view what, std::string_view name, std::string rule);

  source::Diagnostics& diagnostics() { return diagnostics_; }
  const source::Sources& sources() const { return sources_; }

 private:
  const source::Sources& sources_;
  source::Diagnostics& diagnostics_;
  std::set<uint32_t> unknown_;  // the places of unknown keys
};

}  // namespace slipway::blueprint
