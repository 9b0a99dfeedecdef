// Edits the text of a YAML file at places of its nodes, so that everything else stays.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/source/yaml.h"

namespace slipway::editor {

class TextEdits {
 public:
  TextEdits(source::Span file, const source::Sources& sources);

  void replace(source::Span span, std::string text);
  void insert(uint32_t at, std::string text);

  // Removes an entry of a mapping in either style; all of them if `count` entries are removed.
  void remove_entry(const source::Node& mapping, size_t index);
  void remove_item(const source::Node& sequence, size_t index);

  // Makes a value the only item of a list, in its style.
  void make_list(const source::Node& value);

  // The text of an entry from its key to the end of its last line (block style) or value, as it
  // would be with its key in `column`.
  std::string moved_entry(const source::Entry& entry, std::string_view name, size_t column) const;

  // The text with all edits; later edits of the same place count after earlier ones.
  std::string changed() const;

  bool is_flow(const source::Node& node) const;
  size_t column(uint32_t offset) const;  // bytes from the beginning of its line
  size_t indent(uint32_t offset) const;  // blanks at the beginning of its line
  uint32_t line_begin(uint32_t offset) const;
  uint32_t next_line(uint32_t offset) const;  // where the line after the one of `offset` begins
  uint32_t end_of(const source::Node& node) const;  // one past the last character of its value

 private:
  struct Edit {
    uint32_t end;
    std::string text;
  };
  void remove_range(uint32_t begin, uint32_t end);
  void remove_part(bool flow, uint32_t begin, uint32_t end, std::optional<uint32_t> next,
                   std::optional<uint32_t> previous_end);

  std::string_view text_;
  uint32_t base_;
  const source::Sources& sources_;
  std::multimap<uint32_t, Edit> edits_;
};

}  // namespace slipway::editor
