// The keys and list items of a blueprint by its lines and their indentation. Unlike the YAML reader
// it needs no valid text: while you type, there is none. It knows block style only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/editor/document.h"

namespace slipway::editor {

struct Row {
  static constexpr size_t none = static_cast<size_t>(-1);
  size_t line = 0;
  size_t dash = none;   // column of the last dash before its text
  size_t column = 0;    // of its text
  std::string key;      // empty if the text is not a `key:`
  std::string value;    // after the key, or the whole text; without a comment and quotes
  size_t value_at = 0;  // its column
};

class Outline {
 public:
  explicit Outline(const Document& document);

  // The rows that a place at this line and column is in, the outermost first: keys of mappings, and
  // `-` of list items as rows without a key. The row of the line itself is the last one if the
  // column is within its value.
  struct Place {
    std::vector<std::string> keys;  // "deployment_groups", "modules", "settings"
    std::optional<size_t> item;     // the row that begins the innermost list item around it
    bool in_value = false;          // after the last of `keys`, on the same line
    size_t column = 0;              // of the mapping or list that the place is in
  };
  Place place(size_t line, size_t column) const;

  // The rows of the same mapping as this row: of a module from its first row on.
  std::vector<const Row*> siblings(size_t row) const;
  // The value of a key in that mapping; empty without it.
  std::string value_of(size_t row, std::string_view key) const;

  // The keys of the mapping that is that value.
  std::vector<const Row*> children_of(size_t row, std::string_view key) const;

  const Row* row_at(size_t line) const;
  // The rows below the top-level key `vars`, and the row that begins each module.
  std::vector<const Row*> variables() const;
  std::vector<size_t> modules() const;

 private:
  std::vector<Row> rows_;
};

}  // namespace slipway::editor
