// Where the words of a shell script end.
#include "launcher/job_script/shell_words.h"

#include <algorithm>
#include <cctype>

namespace slipway::job_script {
namespace {

constexpr size_t npos = std::string_view::npos;

constexpr int deepest = 100;  // expansions in one another, more than people write

size_t end_of_any_expansion(std::string_view text, size_t at, int depth);

size_t end_of_any_quotes(std::string_view text, size_t at, int depth) {
  const char quote = text[at++];
  if (quote == '\'') {
    const size_t close = text.find(quote, at);
    return close == npos ? npos : close + 1;
  }
  while (at < text.size()) {
    const char c = text[at];
    if (c == quote) return at + 1;
    if (c == '\\') {
      at += 2;
    } else if (c == '$' || c == '`') {
      if ((at = end_of_any_expansion(text, at, depth)) == npos) return npos;
    } else {
      ++at;
    }
  }
  return npos;
}

// Past `close`, outside quotes and expansions; `open` nests.
size_t end_of_brackets(std::string_view text, size_t at, char open, char close, int depth) {
  if (depth > deepest) return npos;
  for (int level = 1; at < text.size();) {
    const char c = text[at];
    if (c == '\\') {
      at += 2;
    } else if (c == '\'' || c == '"') {
      if ((at = end_of_any_quotes(text, at, depth)) == npos) return npos;
    } else if (c == '$' || c == '`') {
      if ((at = end_of_any_expansion(text, at, depth)) == npos) return npos;
    } else {
      level += (c == open) - (c == close);
      ++at;
      if (level == 0) return at;
    }
  }
  return npos;
}

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

size_t end_of_any_expansion(std::string_view text, size_t at, int depth) {
  if (text[at] == '`') {
    for (++at; at < text.size(); ++at) {
      if (text[at] == '`') return at + 1;
      if (text[at] == '\\') ++at;
    }
    return npos;
  }
  ++at;
  if (at >= text.size()) return at;
  const char c = text[at];
  if (c == '(') return end_of_brackets(text, at + 1, '(', ')', depth + 1);
  if (c == '{') return end_of_brackets(text, at + 1, '{', '}', depth + 1);
  if (std::isdigit(static_cast<unsigned char>(c)) != 0) return at + 1;
  if (is_name(c)) {
    while (at < text.size() && is_name(text[at])) ++at;
    return at;
  }
  return std::string_view("@*#?-$!").find(c) != npos ? at + 1 : at;
}

}  // namespace

size_t end_of_parentheses(std::string_view text, size_t at) {
  return end_of_brackets(text, at, '(', ')', 0);
}

size_t end_of_quotes(std::string_view text, size_t at) {
  return end_of_any_quotes(text, at, 0);
}

size_t end_of_expansion(std::string_view text, size_t at) {
  return end_of_any_expansion(text, at, 0);
}

size_t end_of_word(std::string_view text, size_t at) {
  while (at < text.size()) {
    const char c = text[at];
    if (std::string_view(" \t\r\n;&|<>()").find(c) != npos) return at;
    if (c == '\\') {
      at = std::min(at + 2, text.size());
    } else if (c == '\'' || c == '"') {
      if ((at = end_of_quotes(text, at)) == npos) return npos;
    } else if (c == '$' && at + 1 < text.size() && text[at + 1] == '\'') {
      for (at += 2; at < text.size() && text[at] != '\''; ++at) at += text[at] == '\\';
      if (at >= text.size()) return npos;
      ++at;
    } else if (c == '$' || c == '`') {
      if ((at = end_of_expansion(text, at)) == npos) return npos;
    } else {
      ++at;
    }
  }
  return text.size();
}

}  // namespace slipway::job_script
