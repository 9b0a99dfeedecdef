// Source files, and places in them.
#include "launcher/source/sources.h"

#include <algorithm>
#include <array>
#include <limits>

#include "common/error.h"
#include "common/file.h"
#include "launcher/source/input_limit.h"

namespace slipway::source {

Span join(Span a, Span b) {
  if (!a) return b;
  if (!b) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

Span Sources::add(std::string name, std::string text) {
  const uint32_t mark = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  text.erase(0, mark);
  if (text.size() >= std::numeric_limits<uint32_t>::max() - next_) {
    throw Error("cannot hold " + name + ": more than 4 GiB of source text");
  }
  std::vector<uint32_t> line_starts{0};
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    line_starts.push_back(static_cast<uint32_t>(at + 1));
  }
  const Span whole{next_, next_ + static_cast<uint32_t>(text.size())};
  files_.push_back({std::move(name), std::move(text), whole.begin, mark, std::move(line_starts)});
  next_ = whole.end + 1;  // the end of one file is not the beginning of the next
  return whole;
}

Span Sources::add_file(const std::filesystem::path& path) {
  return add(path.string(), read_regular_file(path, max_input_bytes));
}

const Sources::File& Sources::file_at(uint32_t offset) const {
  const auto after = std::upper_bound(files_.begin(), files_.end(), offset,
                                      [](uint32_t at, const File& file) { return at < file.base; });
  if (after == files_.begin()) throw Error("offset is in no source file");
  return *std::prev(after);
}

std::string_view Sources::text(Span span) const {
  return rest(span.begin).substr(0, span.end - span.begin);
}

std::string_view Sources::rest(uint32_t offset) const {
  const File& file = file_at(offset);
  return std::string_view(file.text).substr(offset - file.base);
}

Place Sources::place(uint32_t offset) const {
  const File& file = file_at(offset);
  const uint32_t at = offset - file.base;
  const auto next = std::upper_bound(file.line_starts.begin(), file.line_starts.end(), at);
  const uint32_t start = *std::prev(next);
  std::string_view line = std::string_view(file.text).substr(start);
  line = line.substr(0, line.find('\n'));
  line = line.substr(0, line.find('\r'));

  Place place;
  place.file = file.name;
  place.line_text = line;
  place.line = static_cast<size_t>(next - file.line_starts.begin());
  place.byte = std::min<size_t>(at - start, line.size());
  place.file_byte = file.mark + at;
  place.column = 1;
  for (size_t i = 0; i < place.byte; i += utf8_length(line[i])) ++place.column;
  return place;
}

std::vector<std::string> Sources::names() const {
  std::vector<std::string> names;
  for (const File& file : files_) names.push_back(file.name);
  return names;
}

size_t utf8_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte < 0xC0) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

namespace {

// The first code point of valid UTF-8.
char32_t decode(std::string_view text) {
  const size_t length = utf8_length(text[0]);
  if (length == 1) return static_cast<unsigned char>(text[0]);
  char32_t point = static_cast<unsigned char>(text[0]) & (0xFF >> (length + 1));
  for (size_t i = 1; i < length && i < text.size(); ++i) {
    point = (point << 6) | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  return point;
}

struct Range {
  char32_t first, last;
};

template <size_t n>
bool within(const std::array<Range, n>& ranges, char32_t point) {
  return std::any_of(ranges.begin(), ranges.end(), [point](const Range& range) {
    return range.first <= point && point <= range.last;
  });
}

// The blocks that matter in practice, from Unicode 15: EastAsianWidth.txt (W and F) and the
// combining marks. wcwidth() depends on the locale.
constexpr std::array<Range, 9> wide{{{0x1100, 0x115F},
                                     {0x2E80, 0x303E},
                                     {0x3041, 0xA4CF},
                                     {0xAC00, 0xD7A3},
                                     {0xF900, 0xFAFF},
                                     {0xFE30, 0xFE6F},
                                     {0xFF00, 0xFF60},
                                     {0x1F300, 0x1FAFF},
                                     {0x20000, 0x3FFFD}}};
constexpr std::array<Range, 6> combining{{{0x0300, 0x036F},
                                          {0x1AB0, 0x1AFF},
                                          {0x200B, 0x200D},
                                          {0x20D0, 0x20FF},
                                          {0xFE00, 0xFE0F},
                                          {0xFE20, 0xFE2F}}};

// Length of the UTF-8 character at the beginning of `text`; 0 if it is not valid.
size_t valid_utf8(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const size_t length = utf8_length(text[0]);
  if (text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!continues_utf8(text[i])) return 0;
  }
  const char32_t point = decode(text);
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  return overlong || surrogate || point > 0x10FFFF ? 0 : length;
}

}  // namespace

size_t display_width(std::string_view text) {
  size_t width = 0;
  for (size_t i = 0; i < text.size(); i += utf8_length(text[i])) {
    const char32_t point = decode(text.substr(i));
    if (!within(combining, point)) width += within(wide, point) ? 2 : 1;
  }
  return width;
}

size_t find_not_text(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte >= 0x20 && byte < 0x7F) || byte == '\n') {  // the usual case
      ++i;
      continue;
    }
    const bool control = (byte < 0x20 && byte != '\t' && byte != '\r') || byte == 0x7F;
    const size_t length = control ? 0 : valid_utf8(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

}  // namespace slipway::source
