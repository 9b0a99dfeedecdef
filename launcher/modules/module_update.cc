// Updates a module file.
#include "launcher/modules/module_update.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>

#include "common/error.h"
#include "common/text.h"
#include "launcher/expression/full_text.h"
#include "launcher/modules/becomes.h"
#include "launcher/modules/module_lines.h"
#include "launcher/modules/module_uses.h"
#include "launcher/modules/yaml_lines.h"
#include "launcher/source/yaml.h"

namespace slipway::modules {
namespace {

using expression::Value;
using source::Node;
using ChangeKind = ModuleChange::Kind;

class Updater {
 public:
  Updater(source::Span file, const Interface& ours, const ToolkitModule& theirs,
          const std::string& version, const source::Sources& sources)
      : ours_(ours), theirs_(theirs), version_(version), sources_(sources) {
    source::Diagnostics ignored(sources);
    root_ = source::read_yaml(file, sources, ignored).value_or(Node());
    const std::string text(sources.text(file));
    lines_ = split(text, '\n');
    if (!root_.is_mapping() || is_flow(root_, sources)) cannot_edit("the file");
    sections_ = split_entries(root_, lines_, 0, sources);
    if (sections_.empty()) cannot_edit("the file");
    head_ =
        TextLines(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(line_of(
                                                       root_.entries[0].key_span.begin, sources)));
  }

  ModuleUpdate update() {
    update_inputs();
    update_outputs();
    update_metadata();
    TextLines lines = head_;
    for (const TextEntry& section : sections_) append(lines, section.lines);
    result_.text = join(lines, "\n");
    return std::move(result_);
  }

 private:
  [[noreturn]] void cannot_edit(const std::string& what) const {
    throw Error(fmt::format("cannot edit the module file of {}: {} is not in block style",
                            ours_.path, what));
  }

  void note(ChangeKind kind, std::string what, std::string text = {}) {
    result_.changes.push_back({kind, std::move(what), std::move(text)});
  }

  static std::string input_word(const std::string& name) { return "input `" + name + "`"; }
  static std::string output_word(const std::string& name) { return "output `" + name + "`"; }

  // The entries of the section `key`; `edit` changes them, and the section gets their lines.
  void edit_section(const std::string& key,
                    const std::function<void(const Node&, std::vector<TextEntry>&)>& edit) {
    const Node empty;
    const Node* node = root_.find(key);
    TextEntry* section = find_entry(sections_, key);
    if (node != nullptr && !node->entries.empty()) {
      if (is_flow(*node, sources_)) cannot_edit(fmt::format("`{}`", key));
      const size_t first = line_of(root_.find_entry(key)->key_span.begin, sources_);
      std::vector<TextEntry> entries = split_entries(*node, section->lines, first, sources_);
      const size_t begin = line_of(node->entries[0].key_span.begin, sources_) - first;
      if (entries.empty() || begin == 0 || begin >= section->lines.size()) {
        cannot_edit(fmt::format("`{}`", key));
      }
      TextLines lines(section->lines.begin(),
                      section->lines.begin() + static_cast<std::ptrdiff_t>(begin));
      // Comments and empty lines at the end belong to what follows the section.
      const TextLines rest = cut_rest(entries.back().lines);
      edit(*node, entries);
      for (const TextEntry& entry : entries) append(lines, entry.lines);
      append(lines, rest);
      section->lines = std::move(lines);
      return;
    }
    std::vector<TextEntry> entries;
    edit(node == nullptr ? empty : *node, entries);
    if (entries.empty()) return;
    TextLines lines{key + ":"};
    for (const TextEntry& entry : entries) append(lines, entry.lines);
    put_section(key, std::move(lines));
  }

  // Replaces a section, or adds it: scalars after `about`, mappings at the end.
  void put_section(const std::string& key, TextLines lines) {
    if (TextEntry* section = find_entry(sections_, key)) return set_lines(*section, lines);
    const auto about = std::find_if(sections_.begin(), sections_.end(),
                                    [](const TextEntry& one) { return one.key == "about"; });
    const bool is_short = lines.size() == 1;
    if (is_short && about != sections_.end()) {
      append(lines, cut_rest(about->lines));
      sections_.insert(about + 1, {key, std::move(lines)});
      return;
    }
    TextLines& last = sections_.back().lines;
    while (!last.empty() && trim(last.back()).empty()) last.pop_back();
    if (!is_short) last.emplace_back();
    lines.emplace_back();
    sections_.push_back({key, std::move(lines)});
  }

  void update_inputs() {
    std::vector<const Input*> added;
    edit_section("inputs", [&](const Node& node, std::vector<TextEntry>& entries) {
      for (const Input& input : ours_.inputs) {
        const Node* entry = node.find(input.name);
        TextEntry* text = find_entry(entries, input.name);
        if (entry == nullptr || text == nullptr) cannot_edit(input_word(input.name));
        const Input* now = theirs_.interface.input(input.name);
        if (now == nullptr && !is_own(entry)) remove_input(input, *entry, *text);
        if (now != nullptr) change_input(input, *now, *entry, *text);
      }
      for (const Input& input : theirs_.interface.inputs) {
        if (ours_.input(input.name) != nullptr) continue;
        entries.push_back({input.name, input_lines(input, theirs_, version_)});
        note(ChangeKind::added, input_word(input.name), describe_input(input));
        added.push_back(&input);
      }
    });
    for (const Input* input : added) add_rules(*input);
  }

  // The keys of an input, one or more lines each. An input in flow style gets lines of its own.
  std::vector<TextEntry> keys_of(const Node& entry, const std::string& name, TextEntry& text) {
    if (!is_flow(entry, sources_)) {
      const size_t first = line_of(key_span(name).begin, sources_);
      const size_t begin = line_of(entry.entries[0].key_span.begin, sources_) - first;
      if (begin == 0 || begin >= text.lines.size()) cannot_edit(input_word(name));
      std::vector<TextEntry> keys = split_entries(entry, text.lines, first, sources_);
      if (keys.empty()) cannot_edit(input_word(name));
      return keys;
    }
    std::vector<TextEntry> keys;
    for (const source::Entry& key : entry.entries) {
      const std::string value(sources_.text(key.value.span));
      if (value.find('\n') != value.npos) cannot_edit(input_word(name));
      keys.push_back({key.key, {fmt::format("    {}: {}", key.key, value)}});
    }
    return keys;
  }

  source::Span key_span(const std::string& name) const {
    return root_.find("inputs")->find_entry(name)->key_span;
  }

  void put_keys(const Node& entry, TextEntry& text, const std::vector<TextEntry>& keys) {
    const std::string& line = text.lines[0];
    TextLines lines{is_flow(entry, sources_) ? line.substr(0, line.find(':') + 1) : line};
    if (!is_flow(entry, sources_)) {
      const size_t first = line_of(key_span(text.key).begin, sources_);
      const size_t begin = line_of(entry.entries[0].key_span.begin, sources_) - first;
      lines.assign(text.lines.begin(), text.lines.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    for (const TextEntry& key : keys) append(lines, key.lines);
    if (is_flow(entry, sources_)) append(lines, cut_rest(text.lines));
    text.lines = std::move(lines);
  }

  void change_input(const Input& input, const Input& now, const Node& entry, TextEntry& text) {
    const std::string type = full_text(now.type), old_type = full_text(input.type);
    if (is_own(&entry)) return;
    std::vector<TextEntry> keys = keys_of(entry, input.name, text);
    const size_t before = result_.changes.size();
    if (type != old_type) {
      put_entry(keys, "type", text_lines(4, "type", type), "");
      note(ChangeKind::changed, input_word(input.name),
           fmt::format("type {}, was {}", type, old_type));
    }
    change_default(input, now, keys);
    change_deprecation(input, keys);
    change_allowed(input, keys);
    if (result_.changes.size() > before) put_keys(entry, text, keys);
    check_rules(input);
  }

  void change_default(const Input& input, const Input& now, std::vector<TextEntry>& keys) {
    const bool refused = theirs_.deprecated.contains(input.name) ||
                         (!input.gone.empty() && !input.gone.starts_with(gone_begin));
    if (now.required && !input.required && !refused) {
      drop_entry(keys, "default");
      note(ChangeKind::changed, input_word(input.name),
           fmt::format("must be set, was {} by default", full_text(input.default_value, 0)));
    } else if (!now.required && (input.required || !same_default(input, now))) {
      if (!now.default_value.is_known()) return;
      put_entry(keys, "default", value_lines(4, "default", now.default_value), "type");
      note(ChangeKind::changed, input_word(input.name),
           fmt::format(
               "default {}, {}", full_text(now.default_value, 0),
               input.required ? "had to be set" : "was " + full_text(input.default_value, 0)));
    }
  }

  void change_deprecation(const Input& input, std::vector<TextEntry>& keys) {
    const auto deprecated = theirs_.deprecated.find(input.name);
    if (deprecated != theirs_.deprecated.end() && input.gone.empty()) {
      const std::string why = deprecation_text(deprecated->second, version_);
      if (find_entry(keys, "default") == nullptr) {
        put_entry(keys, "default", value_lines(4, "default", Value()), "type");
      }
      put_entry(keys, "gone", text_lines(4, "gone", why), "default");
      note(ChangeKind::changed, input_word(input.name), "deprecated: " + why);
      report_lost(input.name);
    } else if (deprecated == theirs_.deprecated.end() && input.gone.starts_with(gone_begin)) {
      drop_entry(keys, "gone");
      note(ChangeKind::changed, input_word(input.name), "is back");
    }
  }

  // Values that were added; those that are missing may be ours on purpose.
  void change_allowed(const Input& input, std::vector<TextEntry>& keys) {
    const auto allowed = theirs_.allowed.find(input.name);
    if (allowed == theirs_.allowed.end() || input.one_of.empty()) return;
    std::vector<std::string> all = input.one_of, more;
    for (const std::string& value : allowed->second) {
      if (std::find(all.begin(), all.end(), value) != all.end()) continue;
      all.push_back(value);
      more.push_back(value);
    }
    if (more.empty()) return;
    put_entry(keys, "one_of", list_lines(4, "one_of", all), "default");
    note(ChangeKind::changed, input_word(input.name), "may also be " + join(more, ", "));
  }

  void remove_input(const Input& input, const Node& entry, TextEntry& text) {
    if (!input.gone.empty()) return;
    std::vector<TextEntry> keys = keys_of(entry, input.name, text);
    if (input.required) put_entry(keys, "default", value_lines(4, "default", Value()), "type");
    put_entry(keys, "gone", text_lines(4, "gone", fmt::format("{}{}", gone_begin, version_)),
              "default");
    put_keys(entry, text, keys);
    note(ChangeKind::removed, input_word(input.name), "was " + describe_input(input));
    report_lost(input.name);
  }

  void report_lost(const std::string& name) {
    std::vector<std::string> numbers;
    for (const size_t line : lines_that_use(name, ours_, sources_)) {
      numbers.push_back(std::to_string(line));
    }
    if (numbers.empty()) return;
    note(ChangeKind::lost, input_word(name),
         fmt::format("still used in line{} {}", numbers.size() == 1 ? "" : "s",
                     join(numbers, ", ")));
  }

  // A check of Cluster Toolkit for an input that the file does not check at all.
  void check_rules(const Input& input) {
    if (!input.one_of.empty() || !input.gone.empty()) return;
    if (theirs_.deprecated.contains(input.name)) return;
    const auto at = [&](const Rule& rule) { return rule.at == input.name; };
    if (std::any_of(ours_.rules.begin(), ours_.rules.end(), at)) return;
    for (const Rule& rule : theirs_.interface.rules) {
      if (at(rule) && !rule.validator) note(ChangeKind::unchecked, input_word(input.name), rule.message);
    }
  }

  void add_rules(const Input& input) {
    TextLines lines = rules_of(input.name, theirs_);
    if (lines.empty()) return;
    note(ChangeKind::added, "rules for `" + input.name + "`");
    const Node* rules = root_.find("rules");
    TextEntry* section = find_entry(sections_, "rules");
    if (rules == nullptr || rules->items.empty()) {
      if (section == nullptr) {
        put_section("rules", {"rules:", ""});
        section = find_entry(sections_, "rules");
      } else if (trim(section->lines[0]).ends_with(']')) {
        section->lines[0] = "rules:";
      }
    } else {
      if (is_flow(*rules, sources_)) cannot_edit("`rules`");
      // The dashes of a list are in one column.
      const size_t dash = section->lines[1].find('-');
      if (dash == std::string::npos) cannot_edit("`rules`");
      const std::string margin(dash, ' ');
      for (std::string& line : lines) line = margin + line.substr(2);
    }
    TextLines rest = cut_rest(section->lines);
    append(section->lines, lines);
    append(section->lines, rest);
  }

  void update_outputs() {
    const bool needs_value = ours_.resources.has_value() && toolkit_module(ours_) == nullptr;
    edit_section("outputs", [&](const Node& node, std::vector<TextEntry>& entries) {
      for (const Output& output : ours_.outputs) {
        if (theirs_.interface.output(output.name) != nullptr) continue;
        if (is_own(node.find(output.name))) continue;
        if (output.value) {
          note(ChangeKind::by_hand, output_word(output.name),
               fmt::format("Cluster Toolkit {} no longer has it; the file gives it a value: delete "
                           "it, or mark it with `own: true`",
                           version_));
          continue;
        }
        drop_entry(entries, output.name);
        note(ChangeKind::removed, output_word(output.name));
      }
      for (const Output& output : theirs_.interface.outputs) {
        if (ours_.output(output.name) != nullptr) continue;
        if (needs_value) {
          note(ChangeKind::by_hand, output_word(output.name),
               fmt::format("is new in Cluster Toolkit {}; it needs a value of the file's "
                           "resources",
                           version_));
          continue;
        }
        entries.push_back({output.name, output_lines(output)});
        note(ChangeKind::added, output_word(output.name));
      }
    });
  }

  void update_metadata() {
    const Interface& theirs = theirs_.interface;
    std::vector<std::string> apis = ours_.apis, more;
    for (const std::string& api : theirs.apis) {
      if (std::find(apis.begin(), apis.end(), api) != apis.end()) continue;
      apis.push_back(api);
      more.push_back(api);
    }
    if (!more.empty()) {
      put_section("apis", list_lines(0, "apis", apis));
      note(ChangeKind::added, "services", join(more, ", "));
    }
    if (!theirs.id_input.empty() && theirs.id_input != ours_.id_input) {
      put_section("id_input", text_lines(0, "id_input", theirs.id_input));
      note(ChangeKind::changed, "`id_input`", theirs.id_input);
    }
    if (theirs.must_be_used && !ours_.must_be_used) {
      put_section("must_be_used", value_lines(0, "must_be_used", true));
      note(ChangeKind::changed, "`must_be_used`", "it does nothing unless another module uses it");
    }
    update_providers();
  }

  void update_providers() {
    const Node* module = root_.find("toolkit_module");
    const Node* providers = module == nullptr ? nullptr : module->find("providers");
    if (module == nullptr || !module->is_mapping() || theirs_.providers.empty()) return;
    std::set<std::string> ours;
    if (providers != nullptr) {
      for (const Node& item : providers->items) ours.insert(item.text);
    }
    const std::set<std::string> theirs(theirs_.providers.begin(), theirs_.providers.end());
    const Node* configures = module->find("configures_providers");
    const bool configured = configures != nullptr && configures->text == "true";
    if (ours == theirs && configured == theirs_.configures_providers) return;
    put_section("toolkit_module", {toolkit_module_line(theirs_)});
    note(ChangeKind::changed, "providers", join(theirs_.providers, ", "));
  }

  static constexpr std::string_view gone_begin = "it is no longer in Cluster Toolkit ";

  const Interface& ours_;
  const ToolkitModule& theirs_;
  const std::string& version_;
  const source::Sources& sources_;
  Node root_;
  TextLines lines_;
  TextLines head_;
  std::vector<TextEntry> sections_;
  ModuleUpdate result_;
};

}  // namespace

ModuleUpdate update_module(source::Span file, const Interface& ours, const ToolkitModule& theirs,
                           const std::string& version, const source::Sources& sources) {
  return Updater(file, ours, theirs, version, sources).update();
}

}  // namespace slipway::modules
