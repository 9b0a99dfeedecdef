// A text that an editor has open.
#include "launcher/editor/document.h"

#include <algorithm>

#include "launcher/source/sources.h"

namespace slipway::editor {
namespace {

// What a character of that many bytes counts as: those of four are two units of UTF-16.
size_t units(size_t bytes, Encoding encoding) {
  if (encoding == Encoding::utf8) return bytes;
  return bytes == 4 ? 2 : 1;
}

}  // namespace

Document::Document(std::string text, Encoding encoding)
    : text_(std::move(text)), encoding_(encoding) {
  find_lines();
}

void Document::find_lines() {
  starts_.assign(1, 0);
  for (size_t at = text_.find('\n'); at != text_.npos; at = text_.find('\n', at + 1)) {
    starts_.push_back(at + 1);
  }
}

std::string_view Document::line(size_t number) const {
  const size_t begin = starts_[number];
  const size_t end = number + 1 < starts_.size() ? starts_[number + 1] - 1 : text_.size();
  std::string_view line = std::string_view(text_).substr(begin, end - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

size_t Document::offset(Position position) const {
  if (position.line >= starts_.size()) return text_.size();
  const std::string_view line = this->line(position.line);
  size_t at = 0;
  for (size_t counted = 0; at < line.size();) {
    const size_t bytes = std::min(source::utf8_length(line[at]), line.size() - at);
    counted += units(bytes, encoding_);
    if (counted > position.character) break;
    at += bytes;
  }
  return starts_[position.line] + at;
}

Position Document::position(size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto number = static_cast<size_t>(after - starts_.begin()) - 1;
  Position position{number, 0};
  for (size_t at = starts_[number]; at < offset;) {
    const size_t bytes = std::min(source::utf8_length(text_[at]), text_.size() - at);
    if (at + bytes > offset) break;
    position.character += units(bytes, encoding_);
    at += bytes;
  }
  return position;
}

void Document::replace(Range range, std::string_view text) {
  const size_t begin = offset(range.start);
  const size_t end = std::max(begin, offset(range.end));
  text_.replace(begin, end - begin, text);
  find_lines();
}

}  // namespace slipway::editor
