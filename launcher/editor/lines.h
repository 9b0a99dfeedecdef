// The lines of a file while it is formatted: where each begins, and what becomes of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::editor {

struct Line {
  size_t begin = 0;  // offset of its first byte
  size_t first = 0;  // of its first byte that is neither blank nor tab; `end` in an empty line
  size_t end = 0;    // of its line end, without trailing blanks
  size_t full = 0;   // the same with trailing blanks
  size_t next = 0;   // of the next line
  bool keeps_end = false;  // trailing blanks belong to a scalar
  bool in_scalar = false;  // a line of a block scalar: its line end means something
  size_t indent = npos;    // the new one; npos: the same
  size_t cut = npos;       // where the text after the new indentation begins; npos: at `first`
  static constexpr size_t npos = static_cast<size_t>(-1);

  bool empty() const { return first == end; }
  size_t column() const { return first - begin; }
};

// A replacement of blanks within a line by one space.
struct Blanks {
  size_t begin = 0;
  size_t end = 0;
};

class Lines {
 public:
  explicit Lines(std::string_view text);

  size_t count() const { return lines_.size(); }
  Line& operator[](size_t number) { return lines_[number]; }
  const Line& operator[](size_t number) const { return lines_[number]; }
  std::string_view text() const { return text_; }

  // The number of the line that contains this offset; the end of the text is in the last line.
  size_t number(size_t offset) const;
  // Whether only blanks precede the offset in its line.
  bool begins_line(size_t offset) const { return lines_[number(offset)].first == offset; }
  // The bytes between the beginning of the line and the offset.
  size_t column(size_t offset) const { return offset - lines_[number(offset)].begin; }

  // The spaces at the beginning of a line, and whether it has nothing else.
  size_t spaces(size_t number) const;
  bool is_spaces(size_t number) const {
    return spaces(number) == lines_[number].full - lines_[number].begin;
  }

  // Replaces these blanks by one space.
  void one_space(size_t begin, size_t end) { blanks_.push_back({begin, end}); }

  // The text with all changes, and without empty lines at both ends.
  std::string changed() const;

 private:
  void put(const Line& line, size_t& blank, std::string& out) const;

  std::string_view text_;
  std::vector<Line> lines_;     // at least one
  std::vector<Blanks> blanks_;  // ascending
};

}  // namespace slipway::editor
