// The keys and list items of a blueprint, by lines and indentation.
#include "launcher/editor/outline.h"

#include <algorithm>

namespace slipway::editor {
namespace {

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == '<';
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  const size_t end = text.find_last_not_of(" \t");
  return end == text.npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

// Without a comment, and without quotes around it.
std::string plain(std::string_view text) {
  if (!text.starts_with('"') && !text.starts_with('\'')) {
    text = trimmed(text.substr(0, std::min(text.find(" #"), text.size())));
    return text.starts_with('#') ? std::string() : std::string(text);
  }
  const size_t end = text.find(text[0], 1);
  return std::string(text.substr(1, end == text.npos ? text.npos : end - 1));
}

Row row_of(size_t number, std::string_view line, size_t first) {
  Row row;
  row.line = number;
  row.column = first;
  while (line.substr(row.column).starts_with("- ") || line.substr(row.column) == "-") {
    row.dash = row.column;
    row.column = std::min(line.find_first_not_of(' ', row.column + 1), line.size());
  }
  const std::string_view text = line.substr(row.column);
  const bool is_quoted = text.starts_with('"') || text.starts_with('\'');
  const size_t begin = is_quoted ? 1 : 0;
  size_t end = begin;
  while (end < text.size() && is_key_character(text[end])) ++end;
  const size_t colon = end + (is_quoted ? 1 : 0);
  const bool is_key = end > begin && colon < text.size() && text[colon] == ':' &&
                      (colon + 1 == text.size() || text[colon + 1] == ' ');
  row.value_at = row.column;
  if (is_key) {
    row.key = text.substr(begin, end - begin);
    row.value_at = std::min(line.find_first_not_of(' ', row.column + colon + 1), line.size());
  }
  row.value = plain(line.substr(row.value_at));
  return row;
}

bool opens_block(const Row& row) {
  return row.value.starts_with('|') || row.value.starts_with('>');
}

}  // namespace

Outline::Outline(const Document& document) {
  size_t block = Row::none;  // column of the key of a block scalar: deeper lines are its text
  for (size_t i = 0; i < document.line_count(); ++i) {
    const std::string_view line = document.line(i);
    const size_t first = line.find_first_not_of(' ');
    if (first == line.npos || line[first] == '#') continue;
    if (block != Row::none && first > block) continue;
    rows_.push_back(row_of(i, line, first));
    const Row& row = rows_.back();
    block = !opens_block(row) ? Row::none : row.key.empty() ? row.dash : row.column;
  }
}

const Row* Outline::row_at(size_t line) const {
  const auto found = std::ranges::lower_bound(rows_, line, {}, &Row::line);
  return found == rows_.end() || found->line != line ? nullptr : &*found;
}

Outline::Place Outline::place(size_t line, size_t column) const {
  Place place;
  const auto after = std::ranges::upper_bound(rows_, line, {}, &Row::line);
  size_t i = static_cast<size_t>(after - rows_.begin());
  size_t limit = column;  // parents are left of it
  bool at_dash = false;   // the parent's key may be in the column of the dash
  if (i > 0 && rows_[i - 1].line == line) {
    const Row& row = rows_[--i];
    limit = row.column;
    if (!row.key.empty() && column >= row.value_at && column > row.column + row.key.size()) {
      place.keys.push_back(row.key);
      place.in_value = true;
    }
    if (row.dash != Row::none && column > row.dash) {
      place.item = i;
      limit = row.dash;
      at_dash = true;
    }
  }
  place.column = limit;
  while (i-- > 0) {
    const Row& row = rows_[i];
    const bool is_parent =
        !row.key.empty() && (row.column < limit || (at_dash && row.column == limit));
    if (is_parent) {
      place.keys.push_back(row.key);
      limit = row.column;
      at_dash = false;
    }
    if (row.dash != Row::none && row.dash < limit) {
      if (!place.item) place.item = i;
      limit = row.dash;
      at_dash = true;
    }
  }
  std::ranges::reverse(place.keys);
  return place;
}

std::vector<const Row*> Outline::siblings(size_t row) const {
  const size_t column = rows_[row].column;
  size_t begin = row;
  while (rows_[begin].dash == Row::none && begin > 0 && rows_[begin - 1].column >= column) --begin;
  std::vector<const Row*> found;
  for (size_t i = begin; i < rows_.size(); ++i) {
    const Row& one = rows_[i];
    if (i > begin && (one.column < column || (one.dash != Row::none && one.dash < column))) break;
    if (one.column == column && !one.key.empty()) found.push_back(&one);
  }
  return found;
}

std::string Outline::value_of(size_t row, std::string_view key) const {
  for (const Row* one : siblings(row)) {
    if (one->key == key) return one->value;
  }
  return {};
}

std::vector<const Row*> Outline::children_of(size_t row, std::string_view key) const {
  std::vector<const Row*> found;
  for (const Row* parent : siblings(row)) {
    if (parent->key != key) continue;
    const auto first = static_cast<size_t>(parent - rows_.data()) + 1;
    for (size_t i = first; i < rows_.size() && rows_[i].column > parent->column; ++i) {
      const bool is_child = rows_[i].column == rows_[first].column && rows_[i].dash == Row::none;
      if (is_child && !rows_[i].key.empty()) found.push_back(&rows_[i]);
    }
  }
  return found;
}

std::vector<const Row*> Outline::variables() const {
  std::vector<const Row*> found;
  bool inside = false;
  size_t column = Row::none;
  for (const Row& row : rows_) {
    if (row.column == 0) {
      inside = row.key == "vars";
    } else if (inside && !row.key.empty() && row.dash == Row::none) {
      column = std::min(column, row.column);
      if (row.column == column) found.push_back(&row);
    }
  }
  return found;
}

std::vector<size_t> Outline::modules() const {
  std::vector<size_t> found;
  size_t list = Row::none;  // column of the key `modules`
  size_t dash = Row::none;  // and of its items
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    const size_t begin = row.dash == Row::none ? row.column : row.dash;
    if (list != Row::none && (begin < list || (begin == list && row.dash == Row::none)))
      list = Row::none;
    if (row.key == "modules" && row.value.empty()) {
      list = row.column;
      dash = Row::none;
    } else if (list != Row::none && row.dash != Row::none &&
               (dash == Row::none || row.dash == dash)) {
      dash = row.dash;
      found.push_back(i);
    }
  }
  return found;
}

}  // namespace slipway::editor
