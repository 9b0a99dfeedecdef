// Reads migrations.yaml.
#include "launcher/editor/migration_rules.h"

#include <fmt/core.h>

#include "launcher/cluster/library_table.h"
#include "launcher/cluster/row_reader.h"

namespace slipway::editor {
namespace {

using cluster::RowReader;
using source::Diagnostics;
using source::Entry;
using source::Node;

std::map<std::string, std::string> texts_by_key(RowReader& row, std::string_view key) {
  std::map<std::string, std::string> texts;
  if (!row.has(key)) return texts;
  const Node* node = row.mapping(key);
  if (node == nullptr) return texts;
  for (const Entry& entry : node->entries) texts[entry.key] = entry.value.text;
  return texts;
}

SettingRule read_setting(const Entry& entry, Diagnostics& diagnostics) {
  RowReader row(entry.value, fmt::format("setting `{}`", entry.key), diagnostics);
  SettingRule rule;
  rule.to = row.optional_text("to");
  rule.values = texts_by_key(row, "values");
  rule.list = row.optional_text("list") == "true";
  rule.members = texts_by_key(row, "members");
  rule.move = row.optional_text("move");
  rule.gone = row.optional_text("gone");
  rule.by_hand = row.optional_text("by_hand");
  rule.only_if = row.optional_texts("if");
  row.finish();
  return rule;
}

std::map<std::string, SettingRule> read_settings(RowReader& row, std::string_view key,
                                                 Diagnostics& diagnostics) {
  std::map<std::string, SettingRule> rules;
  if (!row.has(key)) return rules;
  const Node* node = row.mapping(key);
  if (node == nullptr) return rules;
  for (const Entry& entry : node->entries) rules[entry.key] = read_setting(entry, diagnostics);
  return rules;
}

void read_module(const Node& node, const std::set<std::string>& sources, Diagnostics& diagnostics,
                 MigrationRules& rules) {
  RowReader row(node, "module", diagnostics);
  ModuleRule rule;
  rule.to = row.optional_text("to");
  rule.gone = row.optional_text("gone");
  rule.why = row.optional_text("why");
  rule.users = row.optional_text("users");
  rule.hand_on = row.optional_text("hand_on");
  if (row.has("split")) {
    if (const Node* split = row.mapping("split")) {
      RowReader inner(*split, "`split`", diagnostics);
      rule.split_to = inner.text("to");
      rule.split_suffix = inner.text("suffix");
      inner.finish();
    }
  }
  rule.settings = read_settings(row, "settings", diagnostics);
  row.one_of("source", sources);
  for (const std::string& path : row.texts("from")) rules.modules[path] = rule;
  row.finish();
}

}  // namespace

const std::string* SettingRule::value_for(const source::Node& value) const {
  if (!value.is_scalar()) return nullptr;
  const source::Scalar scalar = source::resolve(value);
  const bool* boolean = std::get_if<bool>(&scalar);
  const auto found = values.find(boolean == nullptr ? value.text : *boolean ? "true" : "false");
  return found == values.end() ? nullptr : &found->second;
}

MigrationRules load_migration_rules(const std::filesystem::path& library) {
  MigrationRules rules;
  cluster::read_library_table(library / "catalogue/migrations.yaml",
                              [&](const Node& root, Diagnostics& diagnostics) {
                                RowReader file(root, "the file", diagnostics);
                                const std::set<std::string> sources = file.keys("sources");
                                if (const Node* modules = file.sequence("modules")) {
                                  for (const Node& node : modules->items) {
                                    read_module(node, sources, diagnostics, rules);
                                  }
                                }
                                rules.variables = read_settings(file, "vars", diagnostics);
                                file.finish();
                              });
  return rules;
}

}  // namespace slipway::editor
