// Mistakes in YAML. yaml-cpp says where it could not go on; the mistake is often a line above.
#include "launcher/source/yaml_mistake.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace slipway::source {
namespace {

constexpr const char* same_column =
    "keys of one mapping and items of one list begin in the same column";

// yaml-cpp's words for the mistakes that people make, and ours.
std::string reword(const std::string& message) {
  static const std::map<std::string, std::string, std::less<>> ours = {
      {"end of map not found", "this line does not belong to the mapping above it"},
      {"end of sequence not found", "this line does not belong to the list above it"},
      {"end of map flow not found", "a `{` without its `}`"},
      {"end of sequence flow not found", "a `[` without its `]`"},
      {"illegal EOF in scalar", "a quoted text without its closing quote"},
      {"illegal map value", "a `:` where no value can begin"},
      {"illegal map key", "a key where none can stand"},
      {"illegal block entry", "a `-` where no list can begin"},
      {"illegal flow end", "a closing bracket without its opening one"},
      {"the referenced anchor is not defined", "an alias without its anchor"},
      {"illegal tab when looking for indentation", "a tab in the indentation"},
      {"unknown token", "a character that no YAML value can begin with"},
  };
  const auto found = ours.find(message);
  return found == ours.end() ? message : found->second;
}

std::string hint(const std::string& message) {
  if (message == "end of map not found" || message == "end of sequence not found") {
    return same_column;
  }
  if (message == "illegal map value") return "put a text that holds `: ` in quotes";
  if (message == "unknown token") return "put a text that begins with it in quotes";
  if (message == "the referenced anchor is not defined") {
    return "put a text that begins with `*` in quotes";
  }
  if (message.find("tab") != std::string::npos) return "indent with spaces";
  return {};
}

// A line of a file by its first byte and what stands behind its indentation and dashes.
struct Line {
  uint32_t begin = 0;  // of the content
  std::string_view content;
};

class Explanation {
 public:
  Explanation(const std::string& message, uint32_t at, Span file, const Sources& sources)
      : message_(message), at_(at), file_(file), text_(sources.text(file)) {}

  YamlMistake make(Span bracket) const {
    if (is_in_brackets()) {
      if (!bracket && message_ != "illegal map value") bracket = open_in_lines_above();
      if (bracket) return not_closed(bracket);
    }
    if (message_ == "illegal map value") {
      if (const auto found = no_value()) return *found;
    }
    if (message_.starts_with("unknown escape character: ") && at_ >= file_.begin + 2) {
      return {{at_ - 2, at_},
              fmt::format("`\\{}` is no escape in a text in double quotes", message_.back()),
              "write the backslash twice, or put the text in single quotes"};
    }
    if (message_ == "the referenced anchor is not defined") {
      const std::string_view rest = text_.substr(at_ - file_.begin);
      const size_t length = std::min(rest.find_first_of(" \t\r\n,]}:"), rest.size());
      return {{at_, at_ + static_cast<uint32_t>(length)}, reword(message_), hint(message_)};
    }
    return {{at_, std::min(at_ + 1, file_.end)}, reword(message_), hint(message_)};
  }

 private:
  bool is_in_brackets() const {
    static constexpr auto messages = std::to_array<std::string_view>(
        {"end of map flow not found", "end of sequence flow not found", "illegal block entry",
         "illegal map value"});
    return std::ranges::find(messages, message_) != messages.end();
  }

  YamlMistake not_closed(Span bracket) const {
    const size_t begin = bracket.begin - file_.begin;
    const bool list = text_[begin] == '[';
    const std::string_view line =
        text_.substr(begin, std::min(text_.find('\n', begin), text_.size()) - begin);
    return {{bracket.begin, bracket.begin + 1},
            list ? "a `[` without its `]`" : "a `{` without its `}`",
            line.find("$(") == line.npos
                ? ""
                : "put an expression that holds brackets or commas in quotes"};
  }

  // yaml-cpp reads ahead of what it has told us: the bracket may be a few lines up.
  Span open_in_lines_above() const {
    std::optional<Line> line = line_at(at_ - file_.begin);
    for (int lines = 0; line && lines < 20; ++lines) {
      if (const Span open = open_in(*line)) return open;
      line = line_above(*line);
    }
    return {};
  }

  // The last bracket of a line that the line does not close; a value begins with it.
  static Span open_in(const Line& line) {
    std::vector<size_t> open;
    char quote = 0;
    for (size_t i = 0; i < line.content.size(); ++i) {
      const char c = line.content[i];
      const bool begins =
          i == 0 || std::string_view(" ,[{").find(line.content[i - 1]) != std::string_view::npos;
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (begins && (c == '"' || c == '\'')) {
        quote = c;
      } else if (begins && c == '#') {
        break;
      } else if (begins && (c == '[' || c == '{')) {
        open.push_back(i);
      } else if (!open.empty() && (c == ']' || c == '}')) {
        open.pop_back();
      }
    }
    if (open.empty()) return {};
    const uint32_t at = line.begin + static_cast<uint32_t>(open.back());
    return {at, at + 1};
  }

  Line line_at(size_t position) const {
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

  // The nearest line above with more than a comment.
  std::optional<Line> line_above(Line line) const {
    size_t position = line.begin - file_.begin;
    while ((position = text_.rfind('\n', position == 0 ? 0 : position - 1)) != text_.npos) {
      const Line above = line_at(position);
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

  // A `:` behind what would be a key, were the line above not one text with this one.
  std::optional<YamlMistake> no_value() const {
    const Line line = line_at(at_ - file_.begin);
    const std::string_view key = line.content.substr(0, at_ - line.begin);
    if (at_ < line.begin || !is_key(key)) return std::nullopt;
    const auto above = line_above(line);
    if (!above) return std::nullopt;
    const size_t word = word_length(above->content);
    const std::string_view rest = above->content.substr(word);
    const Span word_span{above->begin, above->begin + static_cast<uint32_t>(word)};
    if (word > 0 && rest.find(": ") == rest.npos) {
      if (rest.starts_with(':') && rest.size() > 1 && rest[1] != ' ' && rest[1] != '\r') {
        return YamlMistake{
            {word_span.end, word_span.end + 1}, "a `:` without a space behind it", ""};
      }
      if (rest.find(':') == rest.npos) {
        return YamlMistake{
            word_span,
            fmt::format("`{}` stands without a `:` behind it", above->content.substr(0, word)), ""};
      }
    }
    if (is_key(above->content.substr(0, above->content.find(": "))) &&
        column(line) > column(*above)) {
      return YamlMistake{{line.begin, at_},
                         "this line is indented more than the key above it, which has a value",
                         same_column};
    }
    return std::nullopt;
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

  const std::string& message_;
  uint32_t at_;
  Span file_;
  std::string_view text_;
};

}  // namespace

YamlMistake explain_mistake(const std::string& message, uint32_t at, Span file, Span bracket,
                            const Sources& sources) {
  return Explanation(message, at, file, sources).make(bracket);
}

}  // namespace slipway::source
