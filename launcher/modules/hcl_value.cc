// Finds the end of a value in an HCL file.
// Grammar: https://github.com/hashicorp/hcl/blob/main/hclsyntax/spec.md
#include "launcher/modules/hcl_value.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "common/text.h"
#include "launcher/expression/tokens.h"

namespace slipway::modules {
namespace {

// Much deeper than people write.
constexpr size_t value_depth_limit = 1000;

constexpr size_t npos = std::string_view::npos;

class ValueEnd {
 public:
  ValueEnd(std::string_view text, size_t at) : text_(text), at_(at), end_(at) {}

  ValueRange find() {
    for (;;) {
      if (at_ >= text_.size()) {
        if (!open_.empty()) not_closed();
        return {end_, at_};
      }
      if (!open_.empty() && open_.back().close == '"') {
        quoted();
      } else if (!open_.empty() && open_.back().close == heredoc_mark) {
        heredoc_line();
      } else if (!code()) {
        return {end_, at_};
      }
    }
  }

 private:
  static constexpr char heredoc_mark = '<';

  struct Open {
    char close;     // the character that closes it, or heredoc_mark
    size_t at = 0;  // offset of the opening character
    std::string_view marker = {};
  };

  bool sees(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void take(size_t count) {
    at_ = std::min(at_ + count, text_.size());
    end_ = at_;
  }

  void open(char close, size_t length, std::string_view marker = {}) {
    if (open_.size() >= value_depth_limit) {
      throw HclError(at_, at_ + 1, "this value is nested too deeply");
    }
    open_.push_back({close, at_, marker});
    take(length);
  }

  [[noreturn]] void not_closed() const {
    const Open& open = open_.back();
    const size_t end = open.at + 1;
    if (open.close == '"') throw HclError(open.at, end, "this string has no closing quote");
    if (open.close == heredoc_mark) {
      throw HclError(open.at, open.at + 2,
                     fmt::format("this heredoc has no closing line `{}`", open.marker));
    }
    throw HclError(open.at, end,
                   fmt::format("`{}` has no closing `{}`", text_[open.at], open.close));
  }

  // False at the end of the value.
  bool code() {
    const char c = text_[at_];
    if (c == '\n' && open_.empty()) return false;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      ++at_;
    } else if (c == '#' || sees("//") || sees("/*")) {
      at_ = skip_blank(text_, at_, false);
    } else if (c == '"') {
      open('"', 1);
    } else if (sees("<<") && heredoc()) {
    } else if (c == '(' || c == '[' || c == '{') {
      open(c == '(' ? ')' : c == '[' ? ']' : '}', 1);
    } else if (c == ')' || c == ']' || c == '}') {
      if (open_.empty() && c == '}') return false;
      close(c);
    } else {
      take(1);
    }
    return true;
  }

  void close(char c) {
    if (open_.empty()) throw HclError(at_, at_ + 1, fmt::format("unexpected `{}`", c));
    if (open_.back().close != c) {
      throw HclError(at_, at_ + 1,
                     fmt::format("unexpected `{}`, expected `{}`", c, open_.back().close),
                     open_.back().at);
    }
    open_.pop_back();
    take(1);
  }

  // Reads `<<MARK` or `<<-MARK` and a line end; false if the text is something else.
  bool heredoc() {
    const size_t name = at_ + (sees("<<-") ? 3 : 2);
    const expression::Token token = expression::next_token(text_, name);
    if (token.kind != expression::Token::Kind::identifier || token.begin != name) return false;
    size_t line_end = name + token.text.size();
    while (line_end < text_.size() && std::string_view(" \t\r").find(text_[line_end]) != npos) {
      ++line_end;
    }
    if (line_end >= text_.size() || text_[line_end] != '\n') return false;
    open(heredoc_mark, line_end + 1 - at_, token.text);
    return true;
  }

  // Reads up to the line's end or an expression in it.
  void heredoc_line() {
    if (text_[at_ - 1] == '\n') {
      const size_t line_end = std::min(text_.find('\n', at_), text_.size());
      if (trim(text_.substr(at_, line_end - at_)) == open_.back().marker) {
        open_.pop_back();
        take(text_.substr(0, line_end).find_last_not_of(" \t\r") + 1 - at_);
        at_ = line_end;
        return;
      }
    }
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (sees("$${") || sees("%%{")) {
        take(3);
      } else if (sees("${") || sees("%{")) {
        open('}', 2);
        return;
      } else {
        take(1);
      }
    }
    take(1);
  }

  // Reads one character or escape, or the start of an expression, in a quoted string.
  void quoted() {
    if (text_[at_] == '\n') not_closed();
    if (text_[at_] == '"') {
      open_.pop_back();
      take(1);
    } else if (sees("$${") || sees("%%{")) {
      take(3);
    } else if (sees("${") || sees("%{")) {
      open('}', 2);
    } else {
      take(text_[at_] == '\\' && !sees("\\\n") ? 2 : 1);
    }
  }

  std::string_view text_;
  size_t at_;
  size_t end_;
  std::vector<Open> open_;
};

}  // namespace

size_t skip_blank(std::string_view text, size_t at, bool lines) {
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with('#') || rest.starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (rest.starts_with("/*")) {
      const size_t close = text.find("*/", at + 2);
      if (close == npos) {
        throw HclError(at, at + 2, "this comment has no closing `*/`");
      }
      at = close + 2;
    } else if (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || (lines && rest[0] == '\n')) {
      ++at;
    } else {
      break;
    }
  }
  return at;
}

ValueRange find_value_end(std::string_view text, size_t at) {
  return ValueEnd(text, skip_blank(text, at, false)).find();
}

}  // namespace slipway::modules
