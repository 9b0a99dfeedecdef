// Decides the layout of a YAML file: the columns of keys, items and comments.
#include <algorithm>

#include "launcher/editor/layout.h"

namespace slipway::editor {

constexpr size_t step = 2;

size_t Layout::Level::moved(size_t column) const {
  const size_t distance = column + new_column;
  const size_t least = column == 0 ? 0 : 1;  // the first column is for `---` and comments
  return std::max(distance > old_column ? distance - old_column : 0, least);
}

void Layout::begin_node(Head head) {
  Level* parent = level();
  if (parent == nullptr) return;
  if (parent->is_sequence) return begin_item(*parent, head);
  parent->has_key = !parent->has_key;
  if (parent->has_key) return begin_key(*parent, head);
  begin_value(*parent, head);
}

void Layout::begin_item(Level& sequence, Head head) {
  const size_t dash = find_indicator('-', head.begin);
  if (dash == Line::npos) return;
  place(sequence, dash);
  put_on_line(sequence, dash);
  at_ = dash + 1;
  if (lines_.number(head.begin) > lines_.number(dash)) return begin_on_line(sequence, head);
  if (head.begin > at_) lines_.one_space(at_, head.begin);
}

void Layout::begin_key(Level& mapping, Head head) {
  const size_t mark = find_indicator('?', head.begin);
  mapping.explicit_key = mark != Line::npos || head.empty();
  const size_t begin = std::min(mark, head.begin);
  place(mapping, begin);
  put_on_line(mapping, begin);
  at_ = begin;
  if (lines_.number(head.begin) > lines_.number(begin)) begin_on_line(mapping, head);
}

void Layout::begin_value(const Level& mapping, Head head) {
  const size_t colon = find_indicator(':', head.begin);
  if (colon == Line::npos) return;
  if (lines_.number(colon) > lines_.number(at_)) put_on_line(mapping, colon);  // after a `?`
  at_ = colon + 1;
  if (lines_.number(head.begin) > lines_.number(colon)) return begin_on_line(mapping, head);
  if (head.begin > at_ && !mapping.explicit_key) lines_.one_space(at_, head.begin);
}

// What begins on a line of its own after its key or dash. The first key or dash of a collection
// comes later.
void Layout::begin_on_line(const Level& level, Head head) {
  if (head.empty()) return;
  const size_t column = lines_.column(head.begin);
  const size_t new_column = level.explicit_key ? level.moved(column) : level.new_column + step;
  const size_t number = lines_.number(head.begin);
  pass_gap(number, column, new_column);
  lines_[number].indent = new_column;
}

// The first key or dash of a collection decides where all of them are.
void Layout::place(Level& level, size_t at) {
  if (level.placed) return;
  level.placed = true;
  level.old_column = lines_.column(at);
  if (depth_ > 1) {
    level.new_column = column_in(levels_[depth_ - 2], level.is_sequence, level.old_column);
  }
}

size_t Layout::column_in(const Level& parent, bool is_sequence, size_t old_column) const {
  if (parent.explicit_key) return parent.moved(old_column);
  const bool at_key = is_sequence && !parent.is_sequence;
  return parent.new_column + (at_key ? 0 : step);
}

void Layout::put_on_line(const Level& level, size_t at) {
  const size_t number = lines_.number(at);
  pass_gap(number, lines_.column(at), level.new_column);
  if (lines_.begins_line(at)) lines_[number].indent = level.new_column;
}

// The first such character before `end` that is not in a comment.
size_t Layout::find_indicator(char indicator, size_t end) const {
  const std::string_view text = lines_.text();
  for (size_t i = at_; i < end; ++i) {
    if (text[i] == indicator) return i;
    if (text[i] == '#') i = std::min(text.find('\n', i), end);
  }
  return Line::npos;
}

// The lines between what was taken and the line `end_line`, on which something begins that moves
// from `old_column` to `new_column`.
void Layout::pass_gap(size_t end_line, size_t old_column, size_t new_column) {
  const Level* open = level();
  size_t i = lines_.number(at_);
  if (lines_[i].begin != at_) ++i;
  for (; i < end_line; ++i) {
    Line& line = lines_[i];
    if (line.empty()) continue;
    if (lines_.text()[line.first] == '#') {
      const size_t column =
          line.column() == old_column ? new_column : comment_column(line.column());
      line.indent = column < text_column_ ? column : text_level_;
    } else if (open != nullptr && open->placed) {
      line.indent = open->moved(line.column());
    }
  }
}

// A comment stays with the innermost level that is not right of it.
size_t Layout::comment_column(size_t column) const {
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    if (level->placed && level->old_column <= column) {
      return level->new_column + column - level->old_column;
    }
  }
  return column;
}

}  // namespace slipway::editor
