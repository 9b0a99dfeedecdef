// A module of a blueprint while it is migrated: what is added to it, and taken from it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "launcher/editor/migration_rules.h"
#include "launcher/editor/text_edits.h"

namespace slipway::editor {

struct MovedSetting {
  const source::Entry* entry = nullptr;
  std::string name;   // the new one
  std::string value;  // the new one; empty: the entry's
};

struct MigratedModule {
  const source::Node* node = nullptr;
  std::string id;
  std::string path;  // in the library, after the migration; empty for others
  const ModuleRule* rule = nullptr;
  std::set<size_t> removed_uses;  // by their number in `use`
  std::vector<std::string> added_uses;
  size_t removed_settings = 0;
  std::vector<MovedSetting> added_settings;
  // A module that is made before this one; its id is empty if there is none.
  std::string split_id;
  std::vector<std::string> split_uses;
  std::vector<MovedSetting> split_settings;

  const source::Node* list(const char* key) const;  // `use` if it is a list, or nullptr
  const source::Node* settings() const;             // if they are a mapping
};

// Writes what was collected for the module. False if its style does not allow that.
bool write_module(const MigratedModule& module, TextEdits& edits);

}  // namespace slipway::editor
