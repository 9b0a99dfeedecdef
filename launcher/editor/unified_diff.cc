// Shows what an edit changes.
#include "launcher/editor/unified_diff.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace slipway::editor {
namespace {

constexpr size_t context = 3;  // unchanged lines around a change, as other tools show them

// With their line ends.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

bool is_empty(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == line.npos;
}

// A line before and after; one of the two may be missing.
struct Pair {
  const std::string_view* before = nullptr;
  const std::string_view* after = nullptr;
  bool changed() const { return !before || !after || *before != *after; }
};

std::vector<Pair> pairs_of(const std::vector<std::string_view>& before,
                           const std::vector<std::string_view>& after) {
  size_t dropped = 0;  // lines at the beginning
  if (!after.empty() && !is_empty(after[0])) {
    while (dropped < before.size() && is_empty(before[dropped])) ++dropped;
  }
  std::vector<Pair> pairs;
  for (size_t i = 0; i < before.size(); ++i) {
    const bool stays = i >= dropped && i - dropped < after.size();
    pairs.push_back({&before[i], stays ? &after[i - dropped] : nullptr});
  }
  for (size_t i = before.size() - std::min(dropped, before.size()); i < after.size(); ++i) {
    pairs.push_back({nullptr, &after[i]});
  }
  return pairs;
}

void put(char sign, const std::string_view* line, std::string& out) {
  if (line == nullptr) return;
  out += sign;
  out += *line;
  if (!line->ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

// Changed lines next to each other: first all of them before, then all of them after.
void put_run(const std::vector<Pair>& pairs, size_t begin, size_t end, std::string& out) {
  if (!pairs[begin].changed()) return put(' ', pairs[begin].before, out);
  for (size_t i = begin; i < end; ++i) put('-', pairs[i].before, out);
  for (size_t i = begin; i < end; ++i) put('+', pairs[i].after, out);
}

// "3,4": the first line, from 1, and the number of lines.
std::string range(const std::vector<Pair>& pairs, size_t begin, size_t end,
                  const std::string_view* Pair::*side) {
  const auto is_there = [side](const Pair& pair) { return pair.*side != nullptr; };
  const auto at = [&pairs](size_t i) { return pairs.begin() + static_cast<std::ptrdiff_t>(i); };
  const auto before = std::count_if(pairs.begin(), at(begin), is_there);
  const auto count = std::count_if(at(begin), at(end), is_there);
  return fmt::format("{},{}", before + (count > 0 ? 1 : 0), count);
}

void put_hunk(const std::vector<Pair>& pairs, size_t begin, size_t end, std::string& out) {
  out += fmt::format("@@ -{} +{} @@\n", range(pairs, begin, end, &Pair::before),
                     range(pairs, begin, end, &Pair::after));
  for (size_t i = begin; i < end;) {
    size_t run_end = i + 1;
    while (pairs[i].changed() && run_end < end && pairs[run_end].changed()) ++run_end;
    put_run(pairs, i, run_end, out);
    i = run_end;
  }
}

std::string diff_of(const std::vector<Pair>& pairs, std::string_view name) {
  std::string out;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i].changed()) continue;
    const size_t begin = i - std::min(i, context);
    size_t end = i + 1;  // one past the last changed line of the hunk
    for (size_t next = end; next < pairs.size() && next < end + 2 * context + 1; ++next) {
      if (pairs[next].changed()) end = next + 1;
    }
    if (out.empty()) out = fmt::format("--- {0}\n+++ {0}\n", name);
    put_hunk(pairs, begin, std::min(end + context, pairs.size()), out);
    i = end - 1;
  }
  return out;
}

// Above this product of line counts, what differs is shown as a whole.
constexpr size_t most_comparisons = 50'000'000;

// Appends pairs for a[begin, a_end) and b[begin, b_end) by a longest common subsequence.
void put_common(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b,
                size_t begin, size_t a_end, size_t b_end, std::vector<Pair>& pairs) {
  const size_t rows = a_end - begin, columns = b_end - begin;
  std::vector<uint32_t> length;  // of the longest one from (i, j) on
  if (rows * columns <= most_comparisons) length.resize((rows + 1) * (columns + 1));
  const auto at = [&](size_t i, size_t j) -> uint32_t& { return length[i * (columns + 1) + j]; };
  for (size_t i = length.empty() ? 0 : rows; i-- > 0;) {
    for (size_t j = columns; j-- > 0;) {
      at(i, j) = a[begin + i] == b[begin + j] ? at(i + 1, j + 1) + 1
                                              : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (!length.empty() && i < rows && j < columns && a[begin + i] == b[begin + j]) {
      pairs.push_back({&a[begin + i++], &b[begin + j++]});
    } else if (i < rows && (j == columns || length.empty() || at(i + 1, j) >= at(i, j + 1))) {
      pairs.push_back({&a[begin + i++], nullptr});
    } else {
      pairs.push_back({nullptr, &b[begin + j++]});
    }
  }
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::string_view name) {
  const std::vector<std::string_view> old_lines = lines_of(before), new_lines = lines_of(after);
  return diff_of(pairs_of(old_lines, new_lines), name);
}

std::string line_diff(std::string_view before, std::string_view after, std::string_view name) {
  const std::vector<std::string_view> a = lines_of(before), b = lines_of(after);
  size_t begin = 0, a_end = a.size(), b_end = b.size();
  while (begin < a_end && begin < b_end && a[begin] == b[begin]) ++begin;
  while (a_end > begin && b_end > begin && a[a_end - 1] == b[b_end - 1]) --a_end, --b_end;
  std::vector<Pair> pairs;
  for (size_t i = 0; i < begin; ++i) pairs.push_back({&a[i], &b[i]});
  put_common(a, b, begin, a_end, b_end, pairs);
  for (size_t i = 0; a_end + i < a.size(); ++i) pairs.push_back({&a[a_end + i], &b[b_end + i]});
  return diff_of(pairs, name);
}

}  // namespace slipway::editor
