// Decides the layout of a YAML file: its scalars and collections.
#include "launcher/editor/layout.h"

#include <algorithm>

namespace slipway::editor {

using source::Style;
using source::YamlEvent;
using source::YamlEventKind;

void Layout::take(const YamlEvent& event) {
  const size_t begin = offset(event.span.begin);
  const size_t end = offset(event.span.end);
  if (flow_depth_ > 0) return take_in_flow(event);
  switch (event.kind) {
    case YamlEventKind::scalar:
    case YamlEventKind::alias:
      return scalar({begin, end}, event.style);
    case YamlEventKind::sequence_start:
    case YamlEventKind::mapping_start:
      if (event.bracketed) return open_flow({begin, end});
      return open_block(own_properties(begin), event.kind == YamlEventKind::sequence_start);
    case YamlEventKind::sequence_end:
    case YamlEventKind::mapping_end:
      --depth_;
      return;
    case YamlEventKind::stream_end:
      return pass_gap(lines_.count(), Line::npos, 0);
    case YamlEventKind::document_start:
      return;
  }
}

// Lines of a flow collection keep their distance from the level that it is in.
void Layout::take_in_flow(const YamlEvent& event) {
  switch (event.kind) {
    case YamlEventKind::sequence_start:
    case YamlEventKind::mapping_start:
      ++flow_depth_;
      return;
    case YamlEventKind::sequence_end:
    case YamlEventKind::mapping_end:
      if (--flow_depth_ > 0) return;
      at_ = offset(event.span.end);
      return move_lines(flow_begin_, at_);
    default:
      if (event.style != Style::plain) keep_ends(offset(event.span.begin), offset(event.span.end));
  }
}

void Layout::open_flow(Head head) {
  begin_node(head);
  text_column_ = Line::npos;
  flow_begin_ = head.begin;
  flow_depth_ = 1;
}

void Layout::open_block(Head head, bool is_sequence) {
  begin_node(head);
  if (!head.empty()) at_ = head.end;
  levels_.resize(depth_);
  levels_.push_back({.is_sequence = is_sequence});
  ++depth_;
}

void Layout::scalar(Head head, Style style) {
  begin_node(head);
  text_column_ = Line::npos;
  if (style == Style::literal || style == Style::folded) {
    block_scalar(properties_at(head.begin).next, head.end);
  } else {
    move_lines(head.begin, head.end);
    if (style != Style::plain) keep_ends(head.begin, head.end);
  }
  at_ = std::max(at_, head.end);
}

void Layout::block_scalar(size_t header, size_t end) {
  const std::string_view text = lines_.text();
  const std::string_view marks = text.substr(header, 3);
  const size_t digit = marks.find_first_of("123456789");
  const bool keeps = marks.find('+') == 1 || marks.find('+') == 2;
  const bool strips = marks.find('-') == 1 || marks.find('-') == 2;
  const size_t first = lines_.number(header) + 1;
  size_t last = first;  // one past its last line
  size_t column = Line::npos;
  size_t text_end = first;  // one past its last line that is not blank
  for (; last < lines_.count() && lines_[last].begin < end; ++last) {
    if (lines_.is_spaces(last)) continue;
    if (column == Line::npos) column = lines_.spaces(last);
    text_end = last + 1;
  }
  const Level* parent = level();
  if (digit != marks.npos) {
    column = (parent ? parent->old_column : 0) + static_cast<size_t>(marks[digit] - '0');
  }
  const size_t new_column = parent == nullptr ? column
                            : digit != marks.npos
                                ? parent->new_column + static_cast<size_t>(marks[digit] - '0')
                                : parent->new_column + 2;
  for (size_t i = first; i < last; ++i) {
    Line& line = lines_[i];
    const bool is_blank = lines_.is_spaces(i) && lines_.spaces(i) <= column;
    line.in_scalar = keeps || (is_blank ? i < text_end : !strips || line.empty());
    if (is_blank) continue;
    line.keeps_end = true;
    line.indent = new_column;
    line.cut = line.begin + column;
  }
  text_column_ = new_column;
  text_level_ = parent ? parent->new_column : 0;
}

// Moves the lines after the one of `begin`, up to the one of `end`.
void Layout::move_lines(size_t begin, size_t end) {
  const Level* parent = level();
  if (parent == nullptr) return;
  const size_t last = lines_.number(end);
  for (size_t i = lines_.number(begin) + 1; i <= last; ++i) {
    Line& line = lines_[i];
    if (!line.empty() && line.column() == lines_.spaces(i)) {
      line.indent = parent->moved(line.column());
    }
  }
}

void Layout::keep_ends(size_t begin, size_t end) {
  const size_t last = lines_.number(end);
  for (size_t i = lines_.number(begin); i < last; ++i) lines_[i].keeps_end = true;
}

// The tag and the anchor of a block collection: its first key or item is on another line.
Layout::Head Layout::own_properties(size_t at) const {
  const Properties properties = properties_at(at);
  const bool is_own = lines_.number(properties.next) > lines_.number(at);
  return {at, is_own ? properties.end : at};
}

Layout::Properties Layout::properties_at(size_t at) const {
  const std::string_view text = lines_.text();
  Properties found{at, at};
  while (found.next < text.size() && (text[found.next] == '&' || text[found.next] == '!')) {
    found.end = std::min(text.find_first_of(" \t\r\n", found.next), text.size());
    found.next = found.end;
    for (;;) {
      found.next = std::min(text.find_first_not_of(" \t\r\n", found.next), text.size());
      if (found.next == text.size() || text[found.next] != '#') break;
      found.next = std::min(text.find('\n', found.next), text.size());
    }
  }
  return found;
}

}  // namespace slipway::editor
