// Puts our lines into a site's file, and takes them out.
#include "launcher/hosts/site_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "common/text.h"

namespace slipway::hosts {
namespace {

constexpr std::string_view first_mark =
    "# BEGIN Slipway. `slipway cluster describe --undo` takes out these lines.";
// The line before had no line feed, which ours needs.
constexpr std::string_view first_mark_after_text =
    "# BEGIN Slipway, one line feed before. `slipway cluster describe --undo` takes out these "
    "lines.";
constexpr std::string_view first_mark_in_our_file =
    "# BEGIN Slipway, which made this file. `slipway cluster describe --undo` takes out these "
    "lines.";
constexpr std::string_view last_mark = "# END Slipway";

struct Range {
  size_t begin = std::string::npos, end = std::string::npos;
  explicit operator bool() const { return begin != std::string::npos; }
};

size_t find_line(const std::string& text, std::string_view line, size_t from = 0) {
  for (size_t at = text.find(line, from); at != std::string::npos; at = text.find(line, at + 1)) {
    const size_t end = at + line.size();
    if ((at == 0 || text[at - 1] == '\n') && (end == text.size() || text[end] == '\n')) return at;
  }
  return std::string::npos;
}

// Our lines with both marks.
Range find_ours(const std::string& text) {
  Range range{find_line(text, first_mark)};
  const size_t after_text = find_line(text, first_mark_after_text);
  range.begin = std::min({range.begin, after_text, find_line(text, first_mark_in_our_file)});
  if (!range) return {};
  const size_t last = find_line(text, last_mark, range.begin);
  if (last == std::string::npos) return {};
  range.end = std::min(text.size(), last + last_mark.size() + 1);
  if (range.begin == after_text && range.begin > 0) --range.begin;
  return range;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace

std::string without_our_lines(const std::string& text) {
  const Range ours = find_ours(text);
  if (!ours) return text;
  const std::string before = text.substr(0, ours.begin), after = text.substr(ours.end);
  // What the site has written below our lines began a line.
  const bool needs_feed = !before.empty() && before.back() != '\n' && !after.empty();
  return before + (needs_feed ? "\n" : "") + after;
}

bool is_made_by_us(const std::string& text) {
  return find_line(text, first_mark_in_our_file) != text.npos;
}

std::string with_our_lines(const std::string& text, const std::string& lines, Origin origin) {
  if (lines.empty()) return without_our_lines(text);
  const Range ours = find_ours(text);
  const size_t at = ours ? ours.begin : text.size();
  const std::string before = text.substr(0, at);
  const std::string after = ours ? text.substr(ours.end) : "";
  const bool no_feed = !before.empty() && before.back() != '\n';
  const bool made = ours ? is_made_by_us(text) : origin == Origin::ours;
  const std::string_view mark = no_feed ? first_mark_after_text
                                : made  ? first_mark_in_our_file
                                        : first_mark;
  return fmt::format("{}{}{}\n{}{}\n{}", before, no_feed ? "\n" : "", mark, lines, last_mark,
                     after);
}

std::string difference(const std::string& name, const std::string& before,
                       const std::string& after) {
  constexpr size_t context = 3;
  if (before == after) return {};
  const std::vector<std::string> old = lines_of(before), now = lines_of(after);
  const size_t shorter = std::min(old.size(), now.size());
  size_t head = 0, tail = 0;
  while (head < shorter && old[head] == now[head]) ++head;
  while (tail < shorter - head && old[old.size() - 1 - tail] == now[now.size() - 1 - tail]) ++tail;
  std::string text = fmt::format("--- {}\n+++ {}\n", before.empty() ? "/dev/null" : name, name);
  for (size_t i = head - std::min(head, context); i < head; ++i) text += " " + old[i] + "\n";
  for (size_t i = head; i < old.size() - tail; ++i) text += "-" + old[i] + "\n";
  for (size_t i = head; i < now.size() - tail; ++i) text += "+" + now[i] + "\n";
  for (size_t i = old.size() - tail; i < old.size() && i < old.size() - tail + context; ++i) {
    text += " " + old[i] + "\n";
  }
  return text;
}

}  // namespace slipway::hosts
