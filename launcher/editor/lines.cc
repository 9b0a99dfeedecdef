// The lines of a file while it is formatted.
#include "launcher/editor/lines.h"

#include <algorithm>

namespace slipway::editor {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

Line line_at(std::string_view text, size_t begin) {
  Line line;
  line.begin = begin;
  const size_t feed = text.find('\n', begin);
  line.next = feed == text.npos ? text.size() : feed + 1;
  line.full = feed == text.npos ? text.size() : feed;
  if (line.full > begin && feed != text.npos && text[line.full - 1] == '\r') --line.full;
  line.end = line.full;
  while (line.end > begin && is_blank(text[line.end - 1])) --line.end;
  line.first = begin;
  while (line.first < line.end && is_blank(text[line.first])) ++line.first;
  return line;
}

}  // namespace

Lines::Lines(std::string_view text) : text_(text) {
  size_t at = 0;
  do {
    lines_.push_back(line_at(text, at));
    at = lines_.back().next;
  } while (at < text.size());
}

size_t Lines::number(size_t offset) const {
  const auto after =
      std::upper_bound(lines_.begin(), lines_.end(), offset,
                       [](size_t wanted, const Line& line) { return wanted < line.begin; });
  return static_cast<size_t>(after - lines_.begin()) - 1;
}

size_t Lines::spaces(size_t number) const {
  const Line& line = lines_[number];
  const std::string_view text = text_.substr(line.begin, line.full - line.begin);
  return std::min(text.find_first_not_of(' '), text.size());
}

void Lines::put(const Line& line, size_t& blank, std::string& out) const {
  size_t at = line.begin;
  if (line.indent != Line::npos) {
    out.append(line.indent, ' ');
    at = line.cut == Line::npos ? line.first : line.cut;
  }
  for (; blank < blanks_.size() && blanks_[blank].end <= line.end; ++blank) {
    out += text_.substr(at, blanks_[blank].begin - at);
    out += ' ';
    at = blanks_[blank].end;
  }
  const size_t end = line.keeps_end ? line.full : line.end;
  if (at < end) out += text_.substr(at, end - at);
  out += text_.substr(line.full, line.next - line.full);
}

std::string Lines::changed() const {
  const auto is_dropped = [](const Line& line) { return line.empty() && !line.in_scalar; };
  auto first = std::ranges::find_if_not(lines_, is_dropped);
  auto last = std::find_if_not(lines_.rbegin(), lines_.rend(), is_dropped).base();
  std::string out;
  out.reserve(text_.size() + 1);
  size_t blank = 0;
  for (; first < last; ++first) put(*first, blank, out);
  const bool ends = out.empty() || out.ends_with('\n') || (last - 1)->in_scalar;
  if (!ends) out += text_.substr(lines_[0].full, lines_[0].next - lines_[0].full);
  if (!ends && !out.ends_with('\n')) out += '\n';  // a file of one line without an end
  return out;
}

}  // namespace slipway::editor
