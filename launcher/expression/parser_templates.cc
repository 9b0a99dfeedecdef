// The parser: quoted strings and heredocs.
//
// A template is parsed in two steps: first into parts, from which `~` strips white space, then into
// a tree.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "launcher/expression/escape.h"
#include "launcher/expression/syntax.h"

namespace slipway::expression {
namespace {

constexpr std::string_view space = " \t\r\n\v\f";

}  // namespace

struct Parser::Part {
  enum class Kind { text, value, if_, else_, endif, for_, endfor };
  Kind kind = Kind::text;
  std::string text;
  ExpressionPtr value;  // of a value, the condition of an `if` or the collection of a `for`
  std::string key_name, value_name;
  bool strips_before = false, strips_after = false;
  size_t begin = 0, end = 0;
};

struct Parser::Heredoc {
  Token open;
  std::string_view marker;
  bool flush = false;  // <<- removes the common indentation
};

// ${ expression } or %{ directive }, with an optional `~` on either side.
Parser::Part Parser::sequence() {
  Part part{Part::Kind::value, {}, {}, {}, {}, false, false, at_, at_};
  const bool directive = source_.text[at_] == '%';
  at_ += 2;
  if (source_.text.substr(at_).starts_with("~")) {
    part.strips_before = true;
    ++at_;
  }
  const bool lines = std::exchange(newline_ends_item_, false);
  if (!directive) {
    part.value = expression();
  } else if (peek().word("if")) {
    take();
    part.kind = Part::Kind::if_;
    part.value = expression();
  } else if (peek().word("for")) {
    take();
    part.kind = Part::Kind::for_;
    part.value_name = identifier();
    if (accept(",")) part.key_name = std::exchange(part.value_name, identifier());
    if (!peek().word("in")) fail(peek(), unexpected(peek()) + ", expected `in`");
    take();
    part.value = expression();
  } else if (peek().word("else") || peek().word("endif") || peek().word("endfor")) {
    const Token word = take();
    part.kind = word.text == "else"    ? Part::Kind::else_
                : word.text == "endif" ? Part::Kind::endif
                                       : Part::Kind::endfor;
  } else {
    fail(peek(), unexpected(peek()) + ", expected `if`, `else`, `endif`, `for` or `endfor`");
  }
  part.strips_after = accept("~");
  expect("}");
  newline_ends_item_ = lines;
  part.end = at_;
  return part;
}

void Parser::escape(std::string_view rest, std::string& literal) {
  const size_t taken = read_escape(rest, literal);
  if (taken == 0) {
    fail_at(at_, at_ + 2, fmt::format("unknown escape `{}`", rest.substr(0, 2)),
            "a backslash itself is written `\\\\`");
  }
  at_ += taken;
}

// Reads literal text; returns false where a `${` or `%{` begins.
bool Parser::literal_part(std::string_view rest, std::string& literal, bool escapes) {
  if (rest.starts_with("$${") || rest.starts_with("%%{")) {
    literal += rest.substr(1, 2);
    at_ += 3;
  } else if (rest.starts_with("${") || rest.starts_with("%{")) {
    return false;
  } else if (escapes && rest[0] == '\\') {
    escape(rest, literal);
  } else {
    literal += rest[0];
    ++at_;
  }
  return true;
}

ExpressionPtr Parser::quoted(const Token& open) {
  std::vector<Part> parts = quoted_parts(open);
  ++at_;  // the closing quote
  strip(parts);
  return build(std::move(parts), open.begin);
}

std::vector<Parser::Part> Parser::quoted_parts(const Token& open) {
  std::vector<Part> parts;
  Part text;
  text.begin = at_;
  const auto flush = [&] {
    text.end = at_;
    if (!text.text.empty()) parts.push_back(std::move(text));
  };
  for (;;) {
    if (at_ >= source_.text.size()) fail(open, "this string has no closing quote");
    const std::string_view rest = source_.text.substr(at_);
    if (rest[0] == '"') break;
    if (rest[0] == '\n') {
      fail_at(open.begin, at_, "this string has no closing quote on its line",
              "a line end is written `\\n`");
    }
    if (literal_part(rest, text.text, true)) continue;
    flush();
    parts.push_back(sequence());
    text = Part{};
    text.begin = at_;
  }
  flush();
  return parts;
}

// True at the line with the closing marker; moves to the marker's end.
bool Parser::ends_here(const Heredoc& heredoc) {
  std::string_view line = source_.text.substr(at_);
  line = line.substr(0, line.find('\n'));
  const size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  std::string_view word = line.substr(indent);
  if (word.ends_with('\r')) word.remove_suffix(1);
  if (word != heredoc.marker) return false;
  at_ += indent + word.size();
  return true;
}

// The parts up to the heredoc's end, or of the whole text. Each line is a separate part, since `~`
// strips only up to the end of a line.
std::vector<Parser::Part> Parser::plain_parts(const Heredoc* heredoc) {
  std::vector<Part> parts;
  Part text;
  text.begin = at_;
  const auto flush = [&] {
    text.end = at_;
    if (!text.text.empty()) parts.push_back(std::move(text));
    text = Part{};
    text.begin = at_;
  };
  bool line_begins = true;
  while (at_ < source_.text.size()) {
    if (line_begins && heredoc != nullptr && ends_here(*heredoc)) return parts;
    line_begins = source_.text[at_] == '\n';
    const std::string_view rest = source_.text.substr(at_);
    if (rest.starts_with("\r\n")) {
      ++at_;
    } else if (literal_part(rest, text.text, false)) {
      if (line_begins) flush();
    } else {
      flush();
      parts.push_back(sequence());
      text.begin = at_;
    }
  }
  flush();
  if (heredoc != nullptr) {
    fail(heredoc->open, fmt::format("this heredoc has no closing line `{}`", heredoc->marker));
  }
  return parts;
}

ExpressionPtr Parser::heredoc(const Token& open) {
  Heredoc heredoc{open, open.text.substr(2), false};
  if (heredoc.marker[0] == '-') {
    heredoc.flush = true;
    heredoc.marker.remove_prefix(1);
  }
  at_ = source_.text.find('\n', at_) + 1;
  std::vector<Part> parts = plain_parts(&heredoc);
  strip(parts);
  if (heredoc.flush) flush_left(parts);
  return build(std::move(parts), open.begin);
}

ExpressionPtr Parser::whole_template() {
  std::vector<Part> parts = plain_parts(nullptr);
  strip(parts);
  return build(std::move(parts), 0);
}

// Applies `~`: strips white space from the text right before or after it.
void Parser::strip(std::vector<Part>& parts) {
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].strips_before && i > 0 && parts[i - 1].kind == Part::Kind::text) {
      std::string& text = parts[i - 1].text;
      text.resize(text.find_last_not_of(space) + 1);
    }
    if (parts[i].strips_after && i + 1 < parts.size() && parts[i + 1].kind == Part::Kind::text) {
      std::string& text = parts[i + 1].text;
      text.erase(0, text.find_first_not_of(space));
    }
  }
}

// Removes the indentation that all lines have, except blank lines and lines whose beginning was
// stripped. A line that begins with `${` or `%{` has no indentation.
void Parser::flush_left(std::vector<Part>& parts) {
  size_t indentation = std::string::npos;
  std::vector<std::string*> lines;
  bool line_begins = true;
  for (Part& part : parts) {
    const bool is_text = part.kind == Part::Kind::text;
    const std::string& text = part.text;
    const size_t spaces = std::min(text.find_first_not_of(space), text.size());
    const bool blank = is_text && spaces == text.size() && text.ends_with('\n');
    if (line_begins && !blank) {
      indentation = std::min(indentation, is_text ? spaces : 0);
      if (is_text) lines.push_back(&part.text);
    }
    line_begins = is_text && text.ends_with('\n');
  }
  for (std::string* line : lines) line->erase(0, indentation);
}

ExpressionPtr Parser::build(std::vector<Part> parts, size_t begin) {
  size_t next = 0;
  std::vector<ExpressionPtr> items = until(parts, next, nullptr);
  const Span span = since(begin);
  if (items.empty()) return make(span, Literal{Value("")});
  if (items.size() == 1) {
    if (const auto* literal = items[0]->as<Literal>();
        literal && literal->value.as<std::string>()) {
      return make(span, *literal);
    }
  }
  return make(span, Template{std::move(items)});
}

// The parts up to the directive that ends or divides `open`; leaves `next` at that directive.
std::vector<ExpressionPtr> Parser::until(std::vector<Part>& parts, size_t& next, const Part* open) {
  std::vector<ExpressionPtr> items;
  std::string text;
  size_t text_begin = 0, text_end = 0;
  const auto flush = [&] {
    if (!text.empty()) {
      items.push_back(make(source_.span(text_begin, text_end), Literal{Value(text)}));
    }
    text.clear();
  };
  for (; next < parts.size(); ++next) {
    const Part& part = parts[next];
    const auto* literal = part.value ? part.value->as<Literal>() : nullptr;
    const auto* string = literal == nullptr ? nullptr : literal->value.as<std::string>();
    if (part.kind == Part::Kind::text || (part.kind == Part::Kind::value && string != nullptr)) {
      if (text.empty()) text_begin = part.begin;
      text += string != nullptr ? *string : part.text;
      text_end = part.end;
    } else if (part.kind == Part::Kind::value) {
      flush();
      items.push_back(part.value);
    } else if (part.kind == Part::Kind::if_ || part.kind == Part::Kind::for_) {
      flush();
      items.push_back(directive(parts, next));
    } else if (open != nullptr) {
      break;
    } else {
      fail_at(part.begin, part.end, "there is no open directive before this one");
    }
  }
  flush();
  return items;
}

ExpressionPtr Parser::directive(std::vector<Part>& parts, size_t& next) {
  const Part open = std::move(parts[next]);
  const bool is_if = open.kind == Part::Kind::if_;
  if (++depth_ > depth_limit) {
    fail_at(open.begin, open.end, "this expression is nested too deeply");
  }
  const auto branch = [&] {
    const size_t begin = parts[next].end;
    std::vector<ExpressionPtr> items = until(parts, ++next, &open);
    const size_t end = next < parts.size() ? parts[next].begin : begin;
    return make(source_.span(begin, end), Template{std::move(items)});
  };
  ExpressionPtr first = branch();
  ExpressionPtr second;
  if (is_if && next < parts.size() && parts[next].kind == Part::Kind::else_) second = branch();
  const Part::Kind wanted = is_if ? Part::Kind::endif : Part::Kind::endfor;
  if (next >= parts.size()) {
    fail_at(open.begin, open.end,
            fmt::format("this has no `%{{ {} }}`", is_if ? "endif" : "endfor"));
  }
  if (parts[next].kind != wanted) {
    fail_at(parts[next].begin, parts[next].end,
            fmt::format("a `%{{ {} }}` is still open here", is_if ? "if" : "for"));
  }
  --depth_;
  const Span span = source_.span(open.begin, parts[next].end);
  if (is_if) return make(span, TemplateIf{open.value, first, second});
  return make(span, TemplateFor{open.key_name, open.value_name, open.value, first});
}

}  // namespace slipway::expression
