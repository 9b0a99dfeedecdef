// Writes YAML in the layout of module files.
#include "launcher/modules/yaml_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "common/text.h"
#include "launcher/expression/notation.h"

namespace slipway::modules {
namespace {

using expression::Value;

constexpr size_t line_width = 100;

bool is_word(std::string_view text) {
  return !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0) &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
         });
}

// Words that YAML readers take for something else.
bool is_reserved(std::string_view text) {
  static const std::set<std::string> words{"true", "false", "null", "yes", "no", "on",
                                           "off",  "y",     "n",    "inf", "nan"};
  return words.contains(to_lower(text));
}

std::string word_or_quoted(std::string_view text) {
  return is_word(text) && !is_reserved(text) ? std::string(text) : quoted_text(text);
}

// Whether the text can be written without quotes as the value of a key in block style.
bool is_plain(std::string_view text) {
  if (text.empty() || is_reserved(text)) return false;
  const auto first = static_cast<unsigned char>(text[0]);
  if (std::isalpha(first) == 0 && first != '/' && first < 0x80) return false;
  if (text.back() == ':' || text.back() == ' ') return false;
  if (text.find(": ") != text.npos || text.find(" #") != text.npos) return false;
  return std::none_of(text.begin(), text.end(),
                      [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

// Whether folding and unfolding gives the same text: words with single spaces.
bool can_fold(std::string_view text) {
  const bool clean =
      std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
  return clean && !text.empty() && text.front() != ' ' && text.back() != ' ' &&
         text.find("  ") == text.npos;
}

std::string flow_text(const Value& value) {
  if (const auto* boolean = value.as<bool>()) return *boolean ? "true" : "false";
  if (const auto* number = value.as<Value::Number>()) return expression::number_text(*number);
  if (const auto* text = value.as<std::string>()) return quoted_text(expression::escape(*text));
  std::vector<std::string> parts;
  if (const auto* list = value.as<Value::List>()) {
    for (const Value& item : *list) parts.push_back(flow_text(item));
    return "[" + join(parts, ", ") + "]";
  }
  if (const auto* object = value.as<Value::Object>()) {
    for (const auto& [name, member] : *object) {
      parts.push_back(word_or_quoted(name) + ": " + flow_text(member));
    }
    return "{" + join(parts, ", ") + "}";
  }
  return "null";
}

}  // namespace

size_t line_of(uint32_t offset, const source::Sources& sources) {
  return sources.place(offset).line - 1;
}

bool is_flow(const source::Node& node, const source::Sources& sources) {
  const std::string_view text = sources.text(node.span);
  return text.starts_with('{') || text.starts_with('[');
}

std::vector<TextEntry> split_entries(const source::Node& mapping, const TextLines& lines,
                                     size_t first, const source::Sources& sources) {
  std::vector<TextEntry> entries;
  for (size_t i = 0; i < mapping.entries.size(); ++i) {
    const size_t begin = line_of(mapping.entries[i].key_span.begin, sources) - first;
    const size_t end = i + 1 < mapping.entries.size()
                           ? line_of(mapping.entries[i + 1].key_span.begin, sources) - first
                           : lines.size();
    if (begin >= end || end > lines.size()) return {};
    entries.push_back(
        {mapping.entries[i].key, TextLines(lines.begin() + static_cast<std::ptrdiff_t>(begin),
                                           lines.begin() + static_cast<std::ptrdiff_t>(end))});
  }
  return entries;
}

TextEntry* find_entry(std::vector<TextEntry>& entries, std::string_view key) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [key](const TextEntry& one) { return one.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

size_t used_lines(const TextLines& lines) {
  size_t count = lines.size();
  while (count > 1) {
    const std::string_view line = trim(lines[count - 1]);
    if (!line.empty() && !line.starts_with('#')) break;
    --count;
  }
  return count;
}

void append(TextLines& lines, const TextLines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

TextLines cut_rest(TextLines& lines) {
  const auto used = lines.begin() + static_cast<std::ptrdiff_t>(used_lines(lines));
  TextLines rest(used, lines.end());
  lines.erase(used, lines.end());
  return rest;
}

void set_lines(TextEntry& entry, TextLines lines) {
  append(lines, cut_rest(entry.lines));
  entry.lines = std::move(lines);
}

void put_entry(std::vector<TextEntry>& entries, const std::string& key, TextLines lines,
               std::string_view after) {
  if (TextEntry* old = find_entry(entries, key)) return set_lines(*old, std::move(lines));
  TextEntry* before = find_entry(entries, after);
  if (before != nullptr) append(lines, cut_rest(before->lines));
  const auto at = before == nullptr ? 0 : before - entries.data() + 1;
  entries.insert(entries.begin() + at, {key, std::move(lines)});
}

void drop_entry(std::vector<TextEntry>& entries, std::string_view key) {
  TextEntry* entry = find_entry(entries, key);
  if (entry == nullptr) return;
  const auto at = entry - entries.data();
  if (at > 0) append(entries[static_cast<size_t>(at) - 1].lines, cut_rest(entry->lines));
  entries.erase(entries.begin() + at);
}

std::string quoted_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

TextLines text_lines(size_t indent, std::string_view key, std::string_view text) {
  const std::string begin = std::string(indent, ' ') + word_or_quoted(key) + ":";
  if (is_plain(text) && begin.size() + 1 + text.size() <= line_width) {
    return {fmt::format("{} {}", begin, text)};
  }
  if (!can_fold(text) || begin.size() + 3 + text.size() <= line_width) {
    return {fmt::format("{} {}", begin, quoted_text(text))};
  }
  TextLines lines{begin + " >-"};
  const std::string margin(indent + 2, ' ');
  for (const std::string& word : split(text, ' ')) {
    if (lines.size() > 1 && lines.back().size() + 1 + word.size() <= line_width) {
      lines.back() += " " + word;
    } else {
      lines.push_back(margin + word);
    }
  }
  return lines;
}

TextLines value_lines(size_t indent, std::string_view key, const Value& value) {
  return {fmt::format("{}{}: {}", std::string(indent, ' '), word_or_quoted(key), flow_text(value))};
}

TextLines list_lines(size_t indent, std::string_view key, const std::vector<std::string>& items) {
  std::vector<std::string> words;
  for (const std::string& item : items) words.push_back(word_or_quoted(item));
  return {
      fmt::format("{}{}: [{}]", std::string(indent, ' '), word_or_quoted(key), join(words, ", "))};
}

}  // namespace slipway::modules
