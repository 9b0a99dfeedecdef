// Migrates the variables of a blueprint.
#include "launcher/editor/migrated_variables.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

namespace slipway::editor {

using source::Entry;
using source::Node;

bool applies(const SettingRule& rule, std::string_view value) {
  return rule.only_if.empty() ||
         std::ranges::any_of(rule.only_if, [value](const std::string& part) {
           return value.find(part) != value.npos;
         });
}

void MigratedVariables::change(const Node& vars, const source::Sources& sources,
                               const IsInput& is_input, const Say& say) {
  for (size_t i = 0; i < vars.entries.size(); ++i) {
    const Entry& entry = vars.entries[i];
    const auto found = rules_.variables.find(entry.key);
    const std::string_view text = sources.text(
        {entry.key_span.end, std::max(entry.key_span.end, edits_.end_of(entry.value))});
    if (found == rules_.variables.end() || !applies(found->second, text)) continue;
    const SettingRule& rule = found->second;
    const uint32_t at = entry.key_span.begin;
    if (rule.by_hand.empty() && is_input(entry.key)) {
      say(at, true,
          fmt::format(
              "variable `{0}` sets `{0}` of some modules, which others no longer have: give "
              "it another name, and set it where it counts",
              entry.key));
      continue;
    }
    const std::string* value = rule.value_for(entry.value);
    const bool is_used = std::ranges::any_of(names_, [&entry](const Occurrence& one) {
      return one.kind == NameKind::variable && !one.is_definition && one.name == entry.key;
    });
    if (!rule.by_hand.empty()) {
      say(at, true, fmt::format("variable `{}`: {}", entry.key, rule.by_hand));
    } else if (!rule.gone.empty() && !is_used) {
      edits_.remove_entry(vars, i);
      say(at, false, fmt::format("variable `{}` is left out: {}", entry.key, rule.gone));
    } else if (value != nullptr && vars.find(rule.to) == nullptr) {
      edits_.replace(entry.key_span, rule.to);
      edits_.replace(entry.value.span, *value);
      renamed_[entry.key] = rule.to;
      say(at, false,
          fmt::format("variable `{}` is now `{}`, as modules have it", entry.key, rule.to));
    }
  }
}

std::string MigratedVariables::opposite(const SettingRule& rule, const Node& value) {
  const std::map<std::string, std::string> other{{"true", "false"}, {"false", "true"}};
  if (rule.values != other || !value.text.starts_with("$(") || !value.text.ends_with(')'))
    return {};
  const std::string inner = value.text.substr(2, value.text.size() - 3);
  const bool plain = std::ranges::all_of(inner, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
  });
  if (inner.empty() || !plain) return {};
  const auto renamed = inner.starts_with("vars.") ? renamed_.find(inner.substr(5)) : renamed_.end();
  if (renamed == renamed_.end()) return "$(!" + inner + ")";
  followed_.push_back(value.span);
  return "$(vars." + renamed->second + ")";
}

void MigratedVariables::report_uses(const Say& say) const {
  for (const Occurrence& one : names_) {
    const auto renamed = renamed_.find(one.name);
    if (one.kind != NameKind::variable || one.is_definition || renamed == renamed_.end()) continue;
    const bool followed = std::ranges::any_of(followed_, [&one](const source::Span& span) {
      return span.begin <= one.span.begin && one.span.end <= span.end;
    });
    if (followed) continue;
    say(one.span.begin, true,
        fmt::format("`vars.{}` is now `!vars.{}`", one.name, renamed->second));
  }
}

}  // namespace slipway::editor
