// A text that an editor has open. Editors count lines from 0, and columns in units of UTF-16 unless
// both sides agree on bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::editor {

enum class Encoding { utf8, utf16 };

struct Position {
  size_t line = 0;
  size_t character = 0;
};

struct Range {
  Position start;
  Position end;  // exclusive
};

class Document {
 public:
  Document() = default;
  Document(std::string text, Encoding encoding);

  const std::string& text() const { return text_; }

  // The offset of a position. One past the end of its line means the line's end, past the last line
  // the end of the text; one within a character means the character's beginning.
  size_t offset(Position position) const;
  Position position(size_t offset) const;
  Range range(size_t begin, size_t end) const { return {position(begin), position(end)}; }
  Range whole() const { return range(0, text_.size()); }

  // The line without its end.
  std::string_view line(size_t number) const;
  size_t line_count() const { return starts_.size(); }
  size_t line_begin(size_t number) const { return starts_[number]; }

  void replace(Range range, std::string_view text);

 private:
  void find_lines();

  std::string text_;
  Encoding encoding_ = Encoding::utf16;
  std::vector<size_t> starts_{0};
};

}  // namespace slipway::editor
