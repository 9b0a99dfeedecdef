// Finds the mistake that caused a libyaml error: libyaml reports where it stopped, but the mistake
// is often a line above.
#include "launcher/source/yaml_mistake.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

namespace slipway::source {
namespace {

constexpr const char* same_column =
    "all keys of a mapping, and all items of a list, start in the same column";

// libyaml's message for a common mistake, ours, and a hint.
struct Wording {
  std::string_view theirs;
  std::string_view ours;
  std::string_view help;
};
constexpr Wording wordings[] = {
    {"did not find expected key", "this line does not belong to the mapping above it", same_column},
    {"did not find expected '-' indicator", "this line does not belong to the list above it",
     same_column},
    {"found unexpected end of stream", "this quoted string has no closing quote", ""},
    {"found unexpected document indicator", "this quoted string has no closing quote", ""},
    {"mapping values are not allowed in this context", "a value cannot start here",
     "quote a string that contains `: `"},
    {"mapping keys are not allowed in this context", "a key cannot start here", ""},
    {"block sequence entries are not allowed in this context", "a list cannot start here", ""},
    {"could not find expected ':'", "this key has no `:` after it", ""},
    {"did not find expected node content", "a value is missing here", ""},
    {"did not find expected alphabetic or numeric character", "a name is missing here",
     "quote a string that begins with `*` or `&`"},
    {"found character that cannot start any token", "a YAML value cannot begin with this character",
     "quote the string"},
    {"found a tab character that violates indentation", "a tab in the indentation",
     "indent with spaces"},
    {"found a tab character where an indentation space is expected", "a tab in the indentation",
     "indent with spaces"},
    {"found undefined tag handle", "this tag is not defined",
     "quote a string that begins with `!`"},
};

// A line without its indentation and dashes.
struct Line {
  uint32_t begin = 0;  // offset of the content
  std::string_view content;
};

class Explanation {
 public:
  Explanation(const YamlProblem& problem, Span file, const Sources& sources)
      : problem_(problem), file_(file), text_(sources.text(file)) {}

  YamlMistake make(const YamlProgress& progress) const {
    if (is("control characters are not allowed")) return control_character();
    if (auto found = quote_of_several_lines(progress.last_event)) return *std::move(found);
    if (problem_.context == "while parsing a flow sequence" ||
        problem_.context == "while parsing a flow mapping") {
      return not_closed(problem_.context_at);
    }
    const bool at_end = rest(problem_.at).find_first_not_of(" \t\r\n") == std::string_view::npos;
    if (progress.bracket && at_end && is("did not find expected node content")) {
      return not_closed(progress.bracket.begin);
    }
    if (is("found unexpected end of stream") || is("found unexpected document indicator")) {
      return said(problem_.context_at);
    }
    if (is("mapping values are not allowed in this context")) {
      if (auto found = no_value(line_at(problem_.at))) return *std::move(found);
    }
    if (is("could not find expected ':'")) {
      if (auto found = no_colon(line_at(problem_.context_at))) return *std::move(found);
      return said(problem_.context_at);
    }
    if (is("found unknown escape character")) return escape();
    if (is("did not find expected <document start>")) {
      return {.span = one(problem_.at), .message = "this closing bracket has no opening bracket"};
    }
    if (is("found character that cannot start any token") && rest(problem_.at).starts_with('\t')) {
      return {.span = one(problem_.at),
              .message = "a tab in the indentation",
              .help = "indent with spaces"};
    }
    if (is("did not find expected key") && rest(problem_.at).starts_with("- ")) {
      if (auto found = no_dash(line_at(problem_.at))) return *std::move(found);
      return {.span = one(problem_.at),
              .message = "this item does not belong to the list above it",
              .help = same_column};
    }
    if (is("did not find expected key") && line_at(problem_.at).begin < problem_.at) {
      return {.span = one(problem_.at), .message = "unexpected text after the end of a value"};
    }
    return said(problem_.at);
  }

 private:
  static constexpr size_t npos = std::string_view::npos;

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

  bool is(std::string_view problem) const { return problem_.problem == problem; }
  std::string_view rest(uint32_t at) const { return text_.substr(at - file_.begin); }
  Span one(uint32_t at) const { return {at, std::min(at + 1, file_.end)}; }

  YamlMistake said(uint32_t at) const {
    const auto known = std::ranges::find(wordings, problem_.problem, &Wording::theirs);
    if (known == std::end(wordings)) return {.span = one(at), .message = problem_.problem};
    return {.span = one(at), .message = std::string(known->ours), .help = std::string(known->help)};
  }

  YamlMistake control_character() const {
    const auto length = static_cast<uint32_t>(utf8_length(rest(problem_.at).front()));
    return {.code = Code::not_text,
            .span = {problem_.at, std::min(problem_.at + length, file_.end)},
            .message = "this control character is not allowed in a YAML file"};
  }

  YamlMistake not_closed(uint32_t bracket) const {
    const std::string_view from = rest(bracket);
    const std::string_view line = from.substr(0, from.find('\n'));
    return {
        .span = one(bracket),
        .message = from[0] == '[' ? "this `[` has no closing `]`" : "this `{` has no closing `}`",
        .help = line.find("$(") == line.npos
                    ? ""
                    : "quote an expression that contains brackets or commas"};
  }

  // A string in quotes that ends in the line of the problem but begins in another one: most likely,
  // it ends at the opening quote of the next string.
  std::optional<YamlMistake> quote_of_several_lines(uint32_t from) const {
    const size_t stop = problem_.at - file_.begin;
    const size_t line = stop == 0 ? 0 : text_.rfind('\n', stop - 1) + 1;
    char before = '\n';  // the last character that is not a blank
    for (size_t at = std::max(from, file_.begin) - file_.begin; at < stop; ++at) {
      const char c = text_[at];
      if (c == '#' && (at == 0 || is_blank(text_[at - 1]))) {
        at = std::min(text_.find('\n', at), stop);
        before = '\n';
      } else if ((c == '"' || c == '\'') && std::string_view("\n:-[{,?").find(before) != npos) {
        const size_t end = end_of_quoted(at);
        if (at < line && end > line && end <= stop) {
          const auto begin = file_.begin + static_cast<uint32_t>(at);
          return YamlMistake{
              .span = one(begin),
              .message = "this quoted string has no closing quote in its line",
              .help = fmt::format("it ends {} lines below, in the middle of other "
                                  "text",
                                  std::ranges::count(text_.substr(at, end - at), '\n'))};
        }
        if (end > stop) return std::nullopt;
        at = end - 1;
        before = c;
      } else if (!is_blank(c) || c == '\n') {
        before = c;
      }
    }
    return std::nullopt;
  }

  // The offset after the closing quote; the end of the text without one.
  size_t end_of_quoted(size_t open) const {
    const char quote = text_[open];
    for (size_t at = open + 1; at < text_.size(); ++at) {
      if (quote == '"' && text_[at] == '\\') {
        ++at;
      } else if (text_[at] == quote) {
        if (quote == '"' || !text_.substr(at + 1).starts_with('\'')) return at + 1;
        ++at;
      }
    }
    return text_.size();
  }

  // libyaml's mark is at the backslash or at the character after it.
  YamlMistake escape() const {
    const uint32_t at = rest(problem_.at).starts_with('\\') ? problem_.at : problem_.at - 1;
    const std::string_view from = rest(at).substr(1);
    const size_t length = from.empty() ? 0 : utf8_length(from.front());
    return {.span = {at, std::min(at + 1 + static_cast<uint32_t>(length), file_.end)},
            .message = fmt::format("`\\{}` is not a valid escape in a double-quoted string",
                                   from.substr(0, length)),
            .help = "write the backslash twice, or use single quotes"};
  }

  Line line_at(uint32_t at) const {
    const size_t position = at - file_.begin;
    const size_t before = position == 0 ? std::string_view::npos : text_.rfind('\n', position - 1);
    const size_t begin = before == std::string_view::npos ? 0 : before + 1;
    std::string_view line =
        text_.substr(begin, std::min(text_.find('\n', begin), text_.size()) - begin);
    const size_t first = std::min(line.find_first_not_of(" \t\r"), line.size());
    size_t content = first;
    while (line.substr(content).starts_with("- ")) {
      content = std::min(line.find_first_not_of(' ', content + 1), line.size());
    }
    return {file_.begin + static_cast<uint32_t>(begin + content), line.substr(content)};
  }

  // The nearest line above that is not empty or a comment.
  std::optional<Line> line_above(Line line) const {
    size_t position = line.begin - file_.begin;
    while ((position = text_.rfind('\n', position == 0 ? 0 : position - 1)) != text_.npos) {
      const Line above = line_at(file_.begin + static_cast<uint32_t>(position));
      if (!above.content.empty() && above.content[0] != '#' && above.content[0] != '\r')
        return above;
      if (position == 0) break;
    }
    return std::nullopt;
  }

  uint32_t column(const Line& line) const {
    const size_t position = line.begin - file_.begin;
    const size_t before = position == 0 ? text_.npos : text_.rfind('\n', position - 1);
    return static_cast<uint32_t>(before == text_.npos ? position : position - before - 1);
  }

  // A `:` after a word that YAML takes as a continuation of the line above, not as a key.
  std::optional<YamlMistake> no_value(const Line& line) const {
    if (problem_.at < line.begin || !is_key(line.content.substr(0, problem_.at - line.begin))) {
      return std::nullopt;
    }
    const auto above = line_above(line);
    if (!above) return std::nullopt;
    if (auto found = dash_without_space(*above)) return found;
    if (auto found = no_colon(*above)) return found;
    if (is_key(above->content.substr(0, above->content.find(": "))) &&
        column(line) > column(*above)) {
      return YamlMistake{.span = {line.begin, problem_.at},
                         .message = "this line is indented under a key that already has a value",
                         .help = same_column};
    }
    return std::nullopt;
  }

  // `-id: lan` is a key that begins with a dash.
  static std::optional<YamlMistake> dash_without_space(const Line& line) {
    const std::string_view text = line.content;
    if (text.size() < 2 || text[0] != '-' || word_length(text.substr(1)) == 0) return std::nullopt;
    if (text.substr(1 + word_length(text.substr(1))).find(':') != 0) return std::nullopt;
    return YamlMistake{.span = {line.begin, line.begin + 1},
                       .message = "this `-` needs a space after it"};
  }

  // For an item that no list takes: the list's first item has no dash, or none with a space.
  std::optional<YamlMistake> no_dash(const Line& item) const {
    const uint32_t dash = column_of(problem_.at);
    std::optional<Line> first;
    for (auto above = line_above(item); above; above = line_above(*first)) {
      const uint32_t indent = indentation(*above);
      if (indent == dash) {
        if (auto found = dash_without_space(*above)) return found;
      }
      if (indent <= dash) {
        const bool is_item = above->begin > start_of(*above) + indent;
        if (is_item || !first || !ends_with_colon(above->content)) return std::nullopt;
        return YamlMistake{.span = {first->begin, first->begin + 1},
                           .message =
                               "this is a key, but the list goes on below: its first item "
                               "has no `-`",
                           .help = same_column};
      }
      first = *above;
    }
    return std::nullopt;
  }

  uint32_t start_of(const Line& line) const {
    const size_t before = text_.rfind('\n', line.begin - file_.begin);
    return file_.begin + static_cast<uint32_t>(before == npos ? 0 : before + 1);
  }

  // Blanks at the beginning of the line.
  uint32_t indentation(const Line& line) const {
    const size_t begin = start_of(line) - file_.begin;
    return static_cast<uint32_t>(std::min(text_.find_first_not_of(' ', begin), text_.size()) -
                                 begin);
  }

  uint32_t column_of(uint32_t at) const { return column({at, {}}); }

  static bool ends_with_colon(std::string_view line) {
    const size_t last = line.find_last_not_of(" \t\r");
    return last != npos && line[last] == ':';
  }

  // A line that looks like a key and its value, but has no `: `.
  static std::optional<YamlMistake> no_colon(const Line& line) {
    const size_t word = word_length(line.content);
    const std::string_view rest = line.content.substr(word);
    if (word == 0 || rest.find(": ") != rest.npos) return std::nullopt;
    const Span span{line.begin, line.begin + static_cast<uint32_t>(word)};
    if (rest.starts_with(':') && rest.size() > 1 && rest[1] != ' ' && rest[1] != '\r') {
      return YamlMistake{.span = {span.end, span.end + 1},
                         .message = "this `:` needs a space after it"};
    }
    if (rest.find(':') != rest.npos) return std::nullopt;
    return YamlMistake{
        .span = span,
        .message = fmt::format("`{}` needs a `:` after it", line.content.substr(0, word))};
  }

  static size_t word_length(std::string_view text) {
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    };
    return static_cast<size_t>(std::ranges::find_if_not(text, is_word) - text.begin());
  }
  static bool is_key(std::string_view text) {
    return !text.empty() && word_length(text) == text.size();
  }

  const YamlProblem& problem_;
  Span file_;
  std::string_view text_;
};

}  // namespace

YamlMistake explain_mistake(const YamlProblem& problem, const YamlProgress& progress, Span file,
                            const Sources& sources) {
  return Explanation(problem, file, sources).make(progress);
}

bool begins_document(const YamlProblem& problem, const Sources& sources) {
  const std::string_view rest = sources.rest(problem.at);
  return problem.problem == "did not find expected <document start>" && !rest.starts_with(']') &&
         !rest.starts_with('}');
}

}  // namespace slipway::source
