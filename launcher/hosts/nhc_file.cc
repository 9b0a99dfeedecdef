// Reads nhc.conf. What follows is from nhc's scripts/common.nhc: nhc_load_conf() and mcheck().
#include "launcher/hosts/nhc_file.h"

#include <fnmatch.h>
#include <re2/re2.h>

#include <algorithm>
#include <cstdint>

#include "common/text.h"

namespace slipway::hosts {
namespace {

// Splits a check as bash would.
class ShellWords {
 public:
  explicit ShellWords(NhcLine& line) : line_(line) {}

  void split() {
    const std::string& text = line_.check;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quote_ != '\0') {
        in_quotes(c);
      } else if (c == '\'' || c == '"') {
        quote_ = c;
        begun_ = true;
      } else if (c == ' ' || c == '\t') {
        end_word();
      } else if (c == '#' && !begun_) {
        break;
      } else if (c == ';' || c == '|' || c == '&') {
        line_.is_compound = true;
        end_word();
      } else {
        take(c);
      }
    }
    end_word();
  }

 private:
  void in_quotes(char c) {
    if (c == quote_) {
      quote_ = '\0';
    } else {
      take(c);
    }
  }

  void take(char c) {
    line_.expands = line_.expands || ((c == '$' || c == '`') && quote_ != '\'');
    word_ += c;
    begun_ = true;
  }

  void end_word() {
    if (begun_) line_.words.push_back(word_);
    word_.clear();
    begun_ = false;
  }

  NhcLine& line_;
  std::string word_;
  char quote_ = '\0';
  bool begun_ = false;
};

// A line as bash's `read` returns it: a backslash hides the next character, or the end of the line.
struct Read {
  std::string text;
  bool continues = false;
};

Read read_line(const std::string& raw) {
  Read line;
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      line.text += raw[i];
    } else if (++i < raw.size()) {
      line.text += raw[i];
    } else {
      line.continues = true;
    }
  }
  return line;
}

bool is_in_range(const std::string& node, const std::string& group) {
  static const re2::RE2 range("([-a-zA-Z0-9_]+)\\[([0-9]+)-([0-9]+)\\]([-.a-zA-Z0-9]*)");
  std::string prefix, from, to, suffix;
  if (!re2::RE2::FullMatch(group, range, &prefix, &from, &to, &suffix)) return node == group;
  if (!node.starts_with(prefix) || !node.ends_with(suffix)) return false;
  if (node.size() < prefix.size() + suffix.size()) return false;
  const std::string number =
      node.substr(prefix.size(), node.size() - prefix.size() - suffix.size());
  const auto first = to_number<uint64_t>(from), last = to_number<uint64_t>(to),
             own = to_number<uint64_t>(number);
  if (!first || !last || !own || number.size() != std::max(from.size(), to.size())) return false;
  return std::min(*first, *last) <= *own && *own <= std::max(*first, *last);
}

// nhc stops at the first group that is neither a node nor a range.
NhcMatch matches_ranges(const std::string& node, const std::string& groups) {
  static const re2::RE2 known(
      "[-a-zA-Z0-9_]+[0-9]+[-.a-zA-Z0-9]*|[-a-zA-Z0-9_]+\\[[0-9]+-[0-9]+\\][-.a-zA-Z0-9]*");
  for (const std::string& group : split(groups, ',')) {
    if (!re2::RE2::FullMatch(group, known)) return NhcMatch::unknown;
    if (is_in_range(node, group)) return NhcMatch::yes;
  }
  return NhcMatch::no;
}

NhcMatch matches_plainly(const std::string& node, const std::string& target) {
  const auto is_between = [&](char first, char last) {
    return target.size() >= 2 && target.front() == first && target.back() == last;
  };
  const std::string inner = target.size() < 2 ? "" : target.substr(1, target.size() - 2);
  const auto answer = [](bool yes) { return yes ? NhcMatch::yes : NhcMatch::no; };
  if (is_between('/', '/')) {
    const re2::RE2 pattern(inner, re2::RE2::Quiet);
    return pattern.ok() ? answer(re2::RE2::PartialMatch(node, pattern)) : NhcMatch::unknown;
  }
  if (is_between('{', '}')) return matches_ranges(node, inner);
  if (is_between('%', '%') || is_between('@', '@')) return NhcMatch::unknown;
  return answer(::fnmatch(target.c_str(), node.c_str(), 0) == 0);
}

}  // namespace

std::vector<NhcLine> read_nhc(const std::string& text) {
  std::vector<NhcLine> lines;
  std::string whole;
  size_t number = 0, first = 1;
  for (const std::string& raw : split(text, '\n')) {
    ++number;
    const Read read = read_line(raw.ends_with('\r') ? raw.substr(0, raw.size() - 1) : raw);
    if (whole.empty()) first = number;
    whole += read.text;
    if (read.continues) continue;
    const size_t bars = whole.find("||");
    NhcLine line;
    line.number = first;
    line.target = trim(std::string_view(whole).substr(0, bars));
    if (bars != whole.npos) line.check = trim(std::string_view(whole).substr(bars + 2));
    whole.clear();
    if (line.target.empty() || line.target.starts_with('#')) continue;
    if (bars != whole.npos && line.check.empty()) continue;
    ShellWords(line).split();
    lines.push_back(std::move(line));
  }
  return lines;
}

NhcMatch matches_nhc(const std::string& node, const std::string& target) {
  if (!target.starts_with('!')) return matches_plainly(node, target);
  switch (matches_plainly(node, target.substr(1))) {
    case NhcMatch::yes:
      return NhcMatch::no;
    case NhcMatch::no:
      return NhcMatch::yes;
    default:
      return NhcMatch::unknown;
  }
}

}  // namespace slipway::hosts
