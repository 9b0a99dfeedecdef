// Functions for regular expressions in RE2 syntax, which Go and so Terraform use, too:
// https://github.com/google/re2/wiki/Syntax
#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>

#include "launcher/expression/arguments.h"
#include "launcher/expression/budget.h"
#include "launcher/expression/unicode.h"

namespace slipway::expression {
namespace {

using re2::RE2;
using re2::StringPiece;

using Compiled = std::shared_ptr<const RE2>;

Compiled compiled(std::string_view text, int64_t most_bytes = RE2::Options::kDefaultMaxMem) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(most_bytes);
  return std::make_shared<const RE2>(StringPiece(text.data(), text.size()), options);
}

// A module's rules have the same patterns for each of its instances, and compiling one takes far
// longer than matching. The kept ones have a small share of memory each: with less, RE2 is slower,
// but finds the same.
Compiled kept_or_compiled(std::string_view text) {
  constexpr size_t most_patterns = 64;
  constexpr size_t longest = 400;  // bytes
  constexpr int64_t most_bytes = 1 << 20;
  static std::mutex mutex;
  static std::map<std::string, Compiled, std::less<>> known;
  if (text.size() > longest) return compiled(text);
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(text); found != known.end()) return found->second;
  Compiled small = compiled(text, most_bytes);
  if (!small->ok()) return compiled(text);  // it may only be too large for its share
  if (known.size() >= most_patterns) known.clear();
  return known.emplace(text, std::move(small)).first->second;
}

class Pattern {
 public:
  Pattern(std::string_view text, size_t argument)
      : pattern_(kept_or_compiled(checked(text, argument))) {
    if (!pattern_->ok()) {
      throw ArgumentError(argument,
                          fmt::format("is not a valid regular expression: {}", pattern_->error()));
    }
    groups_.resize(static_cast<size_t>(pattern_->NumberOfCapturingGroups()) + 1);
  }

  // Finds the next match at or after `at`; group 0 is the whole match.
  bool find(const std::string& text, size_t at) {
    return pattern_->Match(text, at, text.size(), RE2::UNANCHORED, groups_.data(),
                           static_cast<int>(groups_.size()));
  }

  // Calls `on_match` for each match from left to right, but not for an empty match right after
  // another.
  template <class OnMatch>
  void each(const std::string& text, OnMatch on_match) {
    spend_on(text);
    size_t at = 0;
    size_t last_end = std::string::npos;
    while (at <= text.size() && find(text, at)) {
      const auto begin = static_cast<size_t>(groups_[0].data() - text.data());
      const size_t end = begin + groups_[0].size();
      if (begin != end || begin != last_end) on_match(begin, end);
      last_end = end;
      at = end;
      if (begin == end) {  // skip one character
        if (end == text.size()) break;
        at += code_points(std::string_view(text).substr(end, 4))[0].size();
      }
    }
  }

  void spend_on(const std::string& text) const {
    spend(text.size() * static_cast<size_t>(pattern_->ProgramSize()) / 256);
  }

  // The result of regex() for a match: the matched string, a list of the groups, or an object of
  // the named groups.
  Value captured() const {
    if (groups_.size() == 1) return text_of_group(0);
    const auto& names = pattern_->CapturingGroupNames();
    if (names.empty()) {
      List list;
      for (size_t i = 1; i < groups_.size(); ++i) list.push_back(text_of_group(i));
      return list;
    }
    if (names.size() + 1 != groups_.size()) {
      throw ArgumentError(0, "mixes named and unnamed groups");
    }
    Object object;
    for (const auto& [index, name] : names) {
      object.insert_or_assign(name, text_of_group(static_cast<size_t>(index)));
    }
    return object;
  }

  // Expands a replacement for a match: $1, $name and ${name} are groups, $$ is a dollar sign.
  void expand(std::string_view with, std::string& out) const {
    for (size_t at = 0; at < with.size();) {
      if (with[at] != '$' || at + 1 == with.size()) {
        out += with[at++];
        continue;
      }
      if (with[at + 1] == '$') {
        out += '$';
        at += 2;
        continue;
      }
      const bool braced = with[at + 1] == '{';
      const size_t begin = at + (braced ? 2 : 1);
      const size_t end = std::min(with.find_first_not_of(word, begin), with.size());
      if (end == begin || (braced && (end == with.size() || with[end] != '}'))) {
        out += with[at++];
        continue;
      }
      out += group(std::string(with.substr(begin, end - begin)));
      at = end + (braced ? 1 : 0);
    }
  }

 private:
  static constexpr std::string_view word =
      "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

  // RE2's memory grows with the square of the nesting depth; Go, and so Terraform, has the same
  // limit.
  static std::string_view checked(std::string_view text, size_t argument) {
    constexpr auto most = 1000;
    if (std::count(text.begin(), text.end(), '(') > most) {
      throw ArgumentError(argument, fmt::format("has more than {} groups", most));
    }
    return text;
  }

  Value text_of_group(size_t i) const {
    if (groups_[i].data() == nullptr) return Value();
    return Value(std::string(groups_[i].data(), groups_[i].size()));
  }

  std::string group(const std::string& name) const {
    size_t index = groups_.size();
    if (name.find_first_not_of("0123456789") == std::string::npos) {
      index = name.size() > 4 ? index : std::stoul(name);
    } else {
      const auto& names = pattern_->NamedCapturingGroups();
      const auto found = names.find(name);
      if (found != names.end()) index = static_cast<size_t>(found->second);
    }
    if (index >= groups_.size() || groups_[index].data() == nullptr) return {};
    return std::string(groups_[index].data(), groups_[index].size());
  }

  Compiled pattern_;
  std::vector<StringPiece> groups_;
};

Result regex(const List& arguments) {
  Pattern pattern(text_at(arguments, 0), 0);
  const std::string& text = text_at(arguments, 1);
  pattern.spend_on(text);
  if (!pattern.find(text, 0)) throw ArgumentError(0, "does not match argument 2");
  return pattern.captured();
}

Result regexall(const List& arguments) {
  Pattern pattern(text_at(arguments, 0), 0);
  List out;
  pattern.each(text_at(arguments, 1), [&](size_t, size_t) {
    out.push_back(pattern.captured());
    spend_value(out.back());
  });
  return list_value(std::move(out));
}

// Not in Terraform: whether the string contains a match, as in can(regex(pattern, text)).
Result matches(const List& arguments) {
  Pattern pattern(text_at(arguments, 0), 0);
  pattern.spend_on(text_at(arguments, 1));
  return pattern.find(text_at(arguments, 1), 0);
}

std::string replace_pattern(const std::string& text, std::string_view what,
                            const std::string& with) {
  Pattern pattern(what, 1);
  std::string out;
  size_t at = 0;
  pattern.each(text, [&](size_t begin, size_t end) {
    out.append(text, at, begin - at);
    pattern.expand(with, out);
    spend_text(with.size());
    if (out.size() > largest_text) spend_text(out.size());
    at = end;
  });
  return out.append(text, at);
}

std::string replace_words(const std::string& text, const std::string& what,
                          const std::string& with) {
  std::string out;
  if (what.empty()) {  // before each character, and at the end
    spend_text(text.size() + (text.size() + 1) * with.size());
    for (const std::string_view point : code_points(text)) out += with + std::string(point);
    return out + with;
  }
  spend_text(text.size() + text.size() / what.size() * with.size());
  size_t at = 0;
  for (size_t hit = text.find(what); hit != std::string::npos; hit = text.find(what, at)) {
    out.append(text, at, hit - at).append(with);
    at = hit + what.size();
  }
  return out.append(text, at);
}

// replace(text, "/regular expression/", with) or replace(text, words, with).
Result replace(const List& arguments) {
  const std::string& text = text_at(arguments, 0);
  const std::string& what = text_at(arguments, 1);
  const std::string& with = text_at(arguments, 2);
  if (what.size() > 1 && what.front() == '/' && what.back() == '/') {
    return Value(replace_pattern(text, std::string_view(what).substr(1, what.size() - 2), with));
  }
  return Value(replace_words(text, what, with));
}

constexpr std::array regex_table = std::to_array<Function>({
    {"matches", "string, string", matches},
    {"regex", "string, string", regex},
    {"regexall", "string, string", regexall},
    {"replace", "string, string, string", replace},
});

}  // namespace

std::span<const Function> regex_functions() {
  return regex_table;
}

}  // namespace slipway::expression
