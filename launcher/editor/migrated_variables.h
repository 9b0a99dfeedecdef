// The variables of a blueprint while it is migrated: some get the opposite name and value.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/editor/migration_rules.h"
#include "launcher/editor/names.h"
#include "launcher/editor/text_edits.h"

namespace slipway::editor {

// Whether the value of a setting counts for its rule.
bool applies(const SettingRule& rule, std::string_view value);

class MigratedVariables {
 public:
  using Say = std::function<void(uint32_t at, bool by_hand, std::string text)>;
  // Whether a module of the blueprint has an input of that name today: a variable sets it.
  using IsInput = std::function<bool(const std::string& name)>;

  // `names` is what the blueprint mentions.
  MigratedVariables(const MigrationRules& rules, TextEdits& edits, std::vector<Occurrence> names)
      : rules_(rules), edits_(edits), names_(std::move(names)) {}

  void change(const source::Node& vars, const source::Sources& sources, const IsInput& is_input,
              const Say& say);

  // The opposite of `$(NAME)`, as an expression; empty for other values, and if that is not what
  // the rule makes of values.
  std::string opposite(const SettingRule& rule, const source::Node& value);

  // Reports expressions that still have the old name of a variable.
  void report_uses(const Say& say) const;

 private:
  const MigrationRules& rules_;
  TextEdits& edits_;
  std::vector<Occurrence> names_;
  std::map<std::string, std::string> renamed_;  // to the opposite
  std::vector<source::Span> followed_;          // values that have the new name of one
};

}  // namespace slipway::editor
