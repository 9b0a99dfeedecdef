// What `slipway migrate` rewrites: blueprints/catalogue/migrations.yaml.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "launcher/source/yaml.h"

namespace slipway::editor {

// What becomes of a setting.
struct SettingRule {
  std::string to;                              // the new name; empty: the same
  std::map<std::string, std::string> values;   // new ones by old ones; empty: the value stays
  bool list = false;                           // the value becomes the only item of a list
  std::map<std::string, std::string> members;  // settings by the member of a mapping
  std::string move;                            // the path of the modules that it belongs to
  std::string gone;                            // why it is left out
  std::string by_hand;                         // what a person has to do
  std::vector<std::string> only_if;  // it counts only for values with one of these in their text

  // What takes a value's place; null if the rule does not say. `False` is the value `false`.
  const std::string* value_for(const source::Node& value) const;
};

struct ModuleRule {
  std::string to;            // the path of the module that takes its place; empty: none
  std::string gone;          // what to use instead if nothing takes its place
  std::string why;           // of `to`
  std::string users;         // the path of the modules that use this one now
  std::string hand_on;       // the path of the modules that use what this one used
  std::string split_to;      // the path of a module that is made before it; empty: none
  std::string split_suffix;  // of the id of that module
  std::map<std::string, SettingRule> settings;
};

struct MigrationRules {
  std::map<std::string, ModuleRule> modules;  // by the old path
  std::map<std::string, SettingRule> variables;
};

// From catalogue/migrations.yaml of a library; empty without the file. Throws Error if the file is
// invalid.
MigrationRules load_migration_rules(const std::filesystem::path& library);

}  // namespace slipway::editor
