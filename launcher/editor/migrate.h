// Rewrites blueprints of older releases of Cluster Toolkit into those of today.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/editor/migration_rules.h"
#include "launcher/modules/library.h"

namespace slipway::editor {

struct MigrationNote {
  size_t line = 0;       // in the old text, from 1
  bool by_hand = false;  // a person has to do it
  std::string text;
};

struct Migration {
  std::string text;  // the new one; the same if nothing changes
  std::vector<MigrationNote> notes;
};

// Nothing, and diagnostics, if the file is not valid YAML. Throws Error if the result would not be.
std::optional<Migration> migrate(source::Span file, const MigrationRules& rules,
                                 modules::Library& library, source::Sources& sources,
                                 source::Diagnostics& diagnostics);

}  // namespace slipway::editor
