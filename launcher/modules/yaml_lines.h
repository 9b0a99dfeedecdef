// Writes YAML in the layout of module files, and splits a mapping into the lines of its entries:
// some can be replaced while the rest stays.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/expression/value.h"
#include "launcher/source/yaml.h"

namespace slipway::modules {

using TextLines = std::vector<std::string>;  // without line ends

// The lines of one entry of a mapping in block style, with the comments and empty lines after it.
struct TextEntry {
  std::string key;
  TextLines lines;
};

// The entries of `mapping` in lines[begin, end), where the first line of `lines` is line `first` of
// the mapping's file. The mapping has to be in block style.
std::vector<TextEntry> split_entries(const source::Node& mapping, const TextLines& lines,
                                     size_t first, const source::Sources& sources);

// The entry of that key, or nullptr.
TextEntry* find_entry(std::vector<TextEntry>& entries, std::string_view key);

// Whether a mapping or a list is written with braces, so that it has no lines of its own.
bool is_flow(const source::Node& node, const source::Sources& sources);

// The number of the line that contains the offset, from 0.
size_t line_of(uint32_t offset, const source::Sources& sources);

// Replaces the lines of an entry; comments and empty lines after it stay.
void set_lines(TextEntry& entry, TextLines lines);

// Sets the lines of a key. A new one comes after the key `after`, or first.
void put_entry(std::vector<TextEntry>& entries, const std::string& key, TextLines lines,
               std::string_view after);

// Removes a key. Comments and empty lines after it stay.
void drop_entry(std::vector<TextEntry>& entries, std::string_view key);

// Cuts comments and empty lines off the end.
TextLines cut_rest(TextLines& lines);

void append(TextLines& lines, const TextLines& more);

// The number of lines without the comments and empty lines at the end.
size_t used_lines(const TextLines& lines);

// `key: text` as one line, or as a folded scalar in several. Reads back as the same string.
TextLines text_lines(size_t indent, std::string_view key, std::string_view text);

// `key: value` in one line.
TextLines value_lines(size_t indent, std::string_view key, const expression::Value& value);

// `key: [a, b]`.
TextLines list_lines(size_t indent, std::string_view key, const std::vector<std::string>& items);

// A string as a quoted scalar.
std::string quoted_text(std::string_view text);

}  // namespace slipway::modules
