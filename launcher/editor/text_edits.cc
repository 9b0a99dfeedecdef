// Edits the text of a YAML file at places of its nodes.
#include "launcher/editor/text_edits.h"

#include <algorithm>

namespace slipway::editor {

using source::Entry;
using source::Node;
using source::Span;

TextEdits::TextEdits(Span file, const source::Sources& sources)
    : text_(sources.text(file)), base_(file.begin), sources_(sources) {}

void TextEdits::replace(Span span, std::string text) {
  // An alias repeats the nodes of its anchor, and so their edits.
  const auto [first, last] = edits_.equal_range(span.begin);
  const bool known = std::any_of(first, last, [&](const auto& edit) {
    return edit.second.end == span.end && edit.second.text == text;
  });
  if (!known) edits_.emplace(span.begin, Edit{span.end, std::move(text)});
}

void TextEdits::insert(uint32_t at, std::string text) {
  replace({at, at}, std::move(text));
}

bool TextEdits::is_flow(const Node& node) const {
  const std::string_view text = sources_.text(node.span);
  return text.starts_with('{') || text.starts_with('[');
}

uint32_t TextEdits::line_begin(uint32_t offset) const {
  size_t at = offset - base_;
  while (at > 0 && text_[at - 1] != '\n') --at;
  return base_ + static_cast<uint32_t>(at);
}

size_t TextEdits::column(uint32_t offset) const {
  return offset - line_begin(offset);
}

size_t TextEdits::indent(uint32_t offset) const {
  const size_t begin = line_begin(offset) - base_;
  return std::min(text_.find_first_not_of(' ', begin), text_.size()) - begin;
}

uint32_t TextEdits::next_line(uint32_t offset) const {
  const size_t feed = text_.find('\n', offset - base_);
  const size_t at = feed == text_.npos ? text_.size() : feed + 1;
  return base_ + static_cast<uint32_t>(at);
}

uint32_t TextEdits::end_of(const Node& node) const {
  if (!is_flow(node)) {
    uint32_t end = 0;
    for (const Node& item : node.items) end = std::max(end, end_of(item));
    for (const Entry& entry : node.entries) {
      end = std::max({end, entry.key_span.end, end_of(entry.value)});
    }
    if (end > 0) return end;
  }
  uint32_t end = node.span.end;
  while (end > node.span.begin &&
         std::string_view(" \t\r\n").find(text_[end - base_ - 1]) != std::string_view::npos) {
    --end;
  }
  return end;
}

void TextEdits::remove_range(uint32_t begin, uint32_t end) {
  replace({begin, end}, {});
}

// In flow style, the comma goes, too. In block style, whole lines go, or what follows a dash.
void TextEdits::remove_part(bool flow, uint32_t begin, uint32_t end, std::optional<uint32_t> next,
                            std::optional<uint32_t> previous_end) {
  if (flow && next) return remove_range(begin, *next);
  if (flow) return remove_range(previous_end.value_or(begin), end);
  const std::string_view before = text_.substr(line_begin(begin) - base_, column(begin));
  const bool own_line =
      before.find_first_not_of(" \t-") == before.npos && (before.find('-') == before.npos || !next);
  if (own_line || !next) return remove_range(line_begin(begin), next_line(end - 1));
  remove_range(begin, *next);
}

void TextEdits::remove_entry(const Node& mapping, size_t index) {
  const auto& entries = mapping.entries;
  const Entry& entry = entries[index];
  std::optional<uint32_t> next, previous;
  if (index + 1 < entries.size()) next = entries[index + 1].key_span.begin;
  if (index > 0) previous = end_of(entries[index - 1].value);
  const uint32_t end = std::max(entry.key_span.end, end_of(entry.value));
  remove_part(is_flow(mapping), entry.key_span.begin, end, next, previous);
}

void TextEdits::remove_item(const Node& sequence, size_t index) {
  const Node& item = sequence.items[index];
  std::optional<uint32_t> next, previous;
  if (is_flow(sequence) && index + 1 < sequence.items.size()) {
    next = sequence.items[index + 1].span.begin;
  }
  if (index > 0) previous = end_of(sequence.items[index - 1]);
  remove_part(is_flow(sequence), item.span.begin, end_of(item), next, previous);
}

void TextEdits::make_list(const Node& value) {
  if (!value.is_mapping() || is_flow(value)) {
    insert(value.span.begin, "[");
    return insert(end_of(value), "]");
  }
  const uint32_t first = value.entries.front().key_span.begin;
  const uint32_t end = end_of(value);
  insert(first, "- ");
  for (uint32_t line = next_line(first); line < end; line = next_line(line)) insert(line, "  ");
}

std::string TextEdits::moved_entry(const Entry& entry, std::string_view name,
                                   size_t to_column) const {
  const uint32_t begin = entry.key_span.end;
  uint32_t end = std::max(begin, end_of(entry.value));
  const size_t own_column = column(entry.key_span.begin);
  const std::string_view before = text_.substr(line_begin(begin) - base_, own_column);
  const std::string_view after = text_.substr(end - base_, next_line(end) - end);
  const size_t next = after.find_first_not_of(" \t\r\n");
  const bool alone = next == after.npos || after[next] == '#';   // no comma or brace follows
  if (before.find_first_not_of(" -") == before.npos && alone) {  // with the comment after it
    end = next_line(end - 1);
    while (end > begin && text_[end - base_ - 1] == '\n') --end;
  }
  std::string out(name);
  std::string_view rest = text_.substr(begin - base_, end - begin);
  for (size_t at = 0; at < rest.size();) {
    const size_t feed = std::min(rest.find('\n', at), rest.size() - 1) + 1;
    out += rest.substr(at, feed - at);
    at = feed;
    if (at >= rest.size()) break;
    const size_t blanks = std::min(rest.find_first_not_of(' ', at), rest.size()) - at;
    const size_t moved = blanks + to_column < own_column ? 0 : blanks + to_column - own_column;
    if (rest[at + blanks == rest.size() ? at : at + blanks] != '\n') out += std::string(moved, ' ');
    at += blanks;
  }
  return out;
}

std::string TextEdits::changed() const {
  std::string out;
  uint32_t at = base_;
  for (const auto& [begin, edit] : edits_) {
    if (begin < at && edit.end > begin) {  // it begins within what is removed
      if (edit.text.empty()) at = std::max(at, edit.end);
      continue;
    }
    if (begin > at) out += text_.substr(at - base_, begin - at);
    out += edit.text;
    at = std::max(at, edit.end);
  }
  return out + std::string(text_.substr(at - base_));
}

}  // namespace slipway::editor
