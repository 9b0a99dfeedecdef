// Writes the changes of a module's `use` and `settings` into the text.
#include "launcher/editor/migrated_module.h"

#include <fmt/core.h>

#include "common/text.h"

namespace slipway::editor {
namespace {

using source::Entry;
using source::Node;

std::string blanks(size_t count) {
  return std::string(count, ' ');
}

// An entry with a new name, and perhaps a new value, as if its key were in `column`.
std::string text_of_setting(const MovedSetting& setting, const TextEdits& edits, size_t column) {
  if (!setting.value.empty()) return setting.name + ": " + setting.value;
  return edits.moved_entry(*setting.entry, setting.name, column);
}

class ModuleWriter {
 public:
  ModuleWriter(const MigratedModule& module, TextEdits& edits)
      : module_(module),
        edits_(edits),
        flow_(edits.is_flow(*module.node)),
        column_(edits.column(module.node->entries.front().key_span.begin)) {}

  bool write() {
    if (flow_ && !module_.split_id.empty()) return false;
    if (!module_.split_id.empty()) write_split();
    write_uses();
    return write_settings();
  }

 private:
  void write_uses() {
    const Node* uses = module_.list("use");
    const size_t before = uses == nullptr ? 0 : uses->items.size();
    const size_t left = before - module_.removed_uses.size() + module_.added_uses.size();
    if (left == before && module_.added_uses.empty()) return;
    if (uses == nullptr) {
      const Node* text = module_.node->find("use");  // a mistake, or nothing
      const bool has_text = text != nullptr && text->is_scalar() && !text->is_null();
      remove_entry("use");
      return add_entry(
          "source", fmt::format("use: [{}{}]", has_text ? text->text + ", " : "", joined(nullptr)));
    }
    if (left == 0) return remove_entry("use");
    if (edits_.is_flow(*uses) || uses->items.empty()) {
      return edits_.replace(uses->span, fmt::format("[{}]", joined(uses)));
    }
    for (const size_t index : module_.removed_uses) edits_.remove_item(*uses, index);
    const uint32_t first = uses->items.front().span.begin;
    const uint32_t end = edits_.next_line(edits_.end_of(*uses) - 1);
    for (const std::string& id : module_.added_uses) {
      const size_t dash = edits_.indent(first);
      edits_.insert(end, fmt::format("{}- {}\n", blanks(dash), id));
    }
  }

  std::string joined(const Node* uses) const {
    std::vector<std::string> ids;
    for (size_t i = 0; uses != nullptr && i < uses->items.size(); ++i) {
      if (!module_.removed_uses.contains(i)) ids.push_back(uses->items[i].text);
    }
    ids.insert(ids.end(), module_.added_uses.begin(), module_.added_uses.end());
    return join(ids, ", ");
  }

  // A line after the entry `after`, or another entry in braces.
  void add_entry(const char* after, const std::string& text) {
    if (flow_) return edits_.insert(module_.node->span.end - 1, ", " + text);
    const Node* node = module_.node->find(after);
    if (node == nullptr) node = &module_.node->entries.back().value;
    edits_.insert(edits_.next_line(edits_.end_of(*node) - 1), blanks(column_) + text + "\n");
  }

  void remove_entry(std::string_view key) {
    for (size_t i = 0; i < module_.node->entries.size(); ++i) {
      if (module_.node->entries[i].key == key) edits_.remove_entry(*module_.node, i);
    }
  }

  bool write_settings() {
    const Node* settings = module_.settings();
    const auto& added = module_.added_settings;
    if (added.empty()) {
      const bool none_left = settings != nullptr && module_.removed_settings > 0 &&
                             module_.removed_settings == settings->entries.size();
      if (none_left) remove_entry("settings");
      return true;
    }
    if (settings == nullptr || settings->entries.empty()) return write_new_settings();
    if (edits_.is_flow(*settings)) {
      for (const MovedSetting& setting : added) {
        const std::string text = text_of_setting(setting, edits_, 0);
        if (text.find('\n') != text.npos) return false;
        edits_.insert(settings->span.begin + 1, text + ", ");  // before what may be removed
      }
      return true;
    }
    const size_t column = edits_.column(settings->entries.front().key_span.begin);
    const uint32_t end = edits_.next_line(edits_.end_of(*settings) - 1);
    for (const MovedSetting& setting : added) {
      edits_.insert(end, blanks(column) + text_of_setting(setting, edits_, column) + "\n");
    }
    return true;
  }

  bool write_new_settings() {
    std::string text = flow_ ? "settings: {" : "settings:";
    for (const MovedSetting& setting : module_.added_settings) {
      const std::string one = text_of_setting(setting, edits_, flow_ ? 0 : column_ + 2);
      if (flow_ && one.find('\n') != one.npos) return false;
      text += flow_ ? (text.ends_with('{') ? "" : ", ") + one : "\n" + blanks(column_ + 2) + one;
    }
    remove_entry("settings");
    add_entry(module_.list("use") == nullptr ? "source" : "use", text + (flow_ ? "}" : ""));
    return true;
  }

  void write_split() {
    const uint32_t begin = module_.node->entries.front().key_span.begin;
    const std::string margin = blanks(column_);
    std::string text = blanks(column_ < 2 ? 0 : column_ - 2) + "- id: " + module_.split_id + "\n" +
                       margin + "source: " + module_.rule->split_to + "\n";
    if (!module_.split_uses.empty()) {
      text += fmt::format("{}use: [{}]\n", margin, join(module_.split_uses, ", "));
    }
    if (!module_.split_settings.empty()) text += margin + "settings:\n";
    for (const MovedSetting& setting : module_.split_settings) {
      text += blanks(column_ + 2) + text_of_setting(setting, edits_, column_ + 2) + "\n";
    }
    edits_.insert(edits_.line_begin(begin), text + "\n");
  }

  const MigratedModule& module_;
  TextEdits& edits_;
  const bool flow_;
  const size_t column_;  // of the module's keys
};

}  // namespace

const Node* MigratedModule::list(const char* key) const {
  const Node* found = node->find(key);
  return found == nullptr || !found->is_sequence() ? nullptr : found;
}

const Node* MigratedModule::settings() const {
  const Node* found = node->find("settings");
  return found == nullptr || !found->is_mapping() ? nullptr : found;
}

bool write_module(const MigratedModule& module, TextEdits& edits) {
  return ModuleWriter(module, edits).write();
}

}  // namespace slipway::editor
