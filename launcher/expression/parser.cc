// The parser: recursive descent, one function a level of HCL's grammar.
// Grammar: https://github.com/hashicorp/hcl/blob/main/hclsyntax/spec.md
#include "launcher/expression/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "launcher/expression/escape.h"
#include "launcher/expression/tokens.h"

namespace slipway::expression {
namespace {

using source::Code;

// Deeper than any person writes, and far from the end of the stack.
constexpr int depth_limit = 200;

// Each operator of a chain, a + b + …, makes the tree one deeper, however flat it is written.
constexpr int operator_limit = 500;

struct Level {
  std::string_view symbol;
  Operator op;
  int precedence;
};

constexpr std::array<Level, 13> levels{{{"||", Operator::or_, 1},
                                        {"&&", Operator::and_, 2},
                                        {"==", Operator::equal, 3},
                                        {"!=", Operator::not_equal, 3},
                                        {"<", Operator::less, 4},
                                        {"<=", Operator::less_equal, 4},
                                        {">", Operator::greater, 4},
                                        {">=", Operator::greater_equal, 4},
                                        {"+", Operator::add, 5},
                                        {"-", Operator::subtract, 5},
                                        {"*", Operator::multiply, 6},
                                        {"/", Operator::divide, 6},
                                        {"%", Operator::modulo, 6}}};

class Parser {
 public:
  Parser(const Located& text, size_t at) : source_(text), at_(at) {}

  ExpressionPtr expression() {
    if (++depth_ > depth_limit) fail(peek(), "this expression is nested too deeply");
    ExpressionPtr condition = binary(1);
    if (peek().is("?")) {
      take();
      ExpressionPtr yes = expression();
      expect(":");
      ExpressionPtr no = expression();
      const Span span = source::join(condition->span, no->span);
      condition = make(span, Conditional{condition, yes, no});
    }
    --depth_;
    return condition;
  }

  void expect_end() {
    if (peek().kind != Token::Kind::end) fail(peek(), unexpected(peek()));
  }
  void expect_close() {
    if (!peek().is(")")) fail(peek(), unexpected(peek()) + ", expected `)`");
  }
  size_t position() const { return peek().begin; }

 private:
  [[noreturn]] void fail(const Token& token, const std::string& message) const {
    const size_t length = std::max<size_t>(1, token.text.size());
    throw ExpressionError(Code::expression_syntax, source_.span(token.begin, token.begin + length),
                          message);
  }

  static std::string unexpected(const Token& token) {
    return token.kind == Token::Kind::end ? std::string("the expression ends too early")
                                          : fmt::format("unexpected `{}`", token.text);
  }

  Token peek() const { return next_token(source_.text, at_); }
  Token take() {
    const Token token = peek();
    at_ = token.begin + token.text.size();
    return token;
  }
  void expect(std::string_view symbol) {
    if (!peek().is(symbol))
      fail(peek(), unexpected(peek()) + fmt::format(", expected `{}`", symbol));
    take();
  }
  Span span_of(const Token& token) const {
    return source_.span(token.begin, token.begin + token.text.size());
  }
  Span since(size_t begin) const { return source_.span(begin, at_); }

  ExpressionPtr binary(int precedence) {
    ExpressionPtr left = unary();
    for (;;) {
      const Token token = peek();
      const auto level = std::find_if(levels.begin(), levels.end(),
                                      [&](const Level& l) { return token.is(l.symbol); });
      if (level == levels.end() || level->precedence < precedence) return left;
      count_operator(take());
      ExpressionPtr right = binary(level->precedence + 1);
      left = make(source::join(left->span, right->span), Binary{level->op, left, right});
    }
  }

  void count_operator(const Token& token) {
    if (++operators_ > operator_limit) {
      fail(token, fmt::format("this expression has more than {} operators", operator_limit));
    }
  }

  ExpressionPtr unary() {
    const Token token = peek();
    if (!token.is("!") && !token.is("-")) return postfix();
    take();
    if (++depth_ > depth_limit) fail(token, "this expression is nested too deeply");
    ExpressionPtr operand = unary();
    --depth_;
    return make(source::join(span_of(token), operand->span), Unary{token.text[0], operand});
  }

  ExpressionPtr postfix() {
    const size_t begin = peek().begin;
    ExpressionPtr base = primary();
    std::vector<Step> steps;
    for (;;) {
      const Token token = peek();
      if (token.after_newline && token.is("[")) break;  // the next item of an object
      if (token.is(".")) {
        take();
        steps.push_back(attribute(token));
      } else if (token.is("[")) {
        take();
        steps.push_back(index(token));
      } else {
        break;
      }
    }
    if (steps.empty()) return base;
    if (const auto* name = base->as<Traversal>(); name != nullptr && name->steps.empty()) {
      return make(since(begin), Traversal{name->root, name->base, std::move(steps)});
    }
    return make(since(begin), Traversal{"", base, std::move(steps)});
  }

  Step attribute(const Token& dot) {
    const Token name = take();
    if (name.is("*")) {
      count_operator(name);
      return {Step::Kind::splat, "", nullptr, source_.span(dot.begin, at_)};
    }
    if (name.kind == Token::Kind::number) fail(name, "an element is written `[0]`, not `.0`");
    if (name.kind != Token::Kind::identifier) fail(name, unexpected(name) + ", expected a name");
    return {Step::Kind::attribute, std::string(name.text), nullptr, span_of(name)};
  }

  Step index(const Token& bracket) {
    if (peek().is("*")) {
      count_operator(take());
      expect("]");
      return {Step::Kind::splat, "", nullptr, since(bracket.begin)};
    }
    ExpressionPtr key = expression();
    expect("]");
    return {Step::Kind::index, "", key, since(bracket.begin)};
  }

  ExpressionPtr primary() {
    const Token token = take();
    switch (token.kind) {
      case Token::Kind::number:
        return make(span_of(token),
                    Literal{Value(std::strtold(std::string(token.text).c_str(), nullptr))});
      case Token::Kind::quote:
        return quoted(token);
      case Token::Kind::identifier:
        return peek().is("(") ? call(token) : name(token);
      case Token::Kind::symbol:
        if (token.is("(")) return parenthesis(token);
        if (token.is("[")) return tuple(token);
        if (token.is("{")) return object(token);
        break;
      default:
        break;
    }
    fail(token, unexpected(token));
  }

  ExpressionPtr name(const Token& token) {
    if (token.text == "true") return make(span_of(token), Literal{Value(true)});
    if (token.text == "false") return make(span_of(token), Literal{Value(false)});
    if (token.text == "null") return make(span_of(token), Literal{Value()});
    return make(span_of(token), Traversal{std::string(token.text), nullptr, {}});
  }

  ExpressionPtr parenthesis(const Token& open) {
    ExpressionPtr inner = expression();
    expect(")");
    return make(since(open.begin), Parenthesis{inner});
  }

  ExpressionPtr call(const Token& function) {
    Call call{std::string(function.text), span_of(function), {}, false};
    expect("(");
    while (!peek().is(")")) {
      call.arguments.push_back(expression());
      if (peek().is("...")) {
        take();
        call.spread = true;
        break;
      }
      if (!peek().is(",")) break;
      take();
    }
    expect(")");
    return make(since(function.begin), std::move(call));
  }

  ExpressionPtr tuple(const Token& open) {
    if (peek().word("for")) return for_expression(open, "]");
    Tuple tuple;
    while (!peek().is("]")) {
      tuple.items.push_back(expression());
      if (!peek().is(",")) break;
      take();
    }
    expect("]");
    return make(since(open.begin), std::move(tuple));
  }

  ExpressionPtr object(const Token& open) {
    if (peek().word("for")) return for_expression(open, "}");
    ObjectExpression object;
    if (peek().after_newline) object.form = Form::lines;
    while (!peek().is("}")) {
      const Token key_token = peek();
      ObjectItem item;
      item.quoted_key = key_token.kind == Token::Kind::quote;
      if (key_token.kind == Token::Kind::identifier) {
        take();
        item.key = make(span_of(key_token), Literal{Value(std::string(key_token.text))});
      } else {
        item.key = postfix();
      }
      if (!peek().is("=") && !peek().is(":")) fail(peek(), unexpected(peek()) + ", expected `=`");
      take();
      item.value = expression();
      object.items.push_back(std::move(item));
      if (peek().is(",")) {
        take();
      } else if (!peek().after_newline) {
        break;
      } else if (!peek().is("}")) {
        object.form = Form::lines;
      }
    }
    expect("}");
    return make(since(open.begin), std::move(object));
  }

  ExpressionPtr for_expression(const Token& open, std::string_view close) {
    take();
    For loop;
    loop.value_name = identifier();
    if (peek().is(",")) {
      take();
      loop.key_name = std::exchange(loop.value_name, identifier());
    }
    if (!peek().word("in")) fail(peek(), unexpected(peek()) + ", expected `in`");
    take();
    loop.collection = expression();
    expect(":");
    loop.result = expression();
    if (close == "}") {
      loop.result_key = loop.result;
      expect("=>");
      loop.result = expression();
    }
    if (peek().word("if")) {
      take();
      loop.condition = expression();
    }
    expect(close);
    return make(since(open.begin), std::move(loop));
  }

  std::string identifier() {
    const Token token = take();
    if (token.kind != Token::Kind::identifier) fail(token, unexpected(token) + ", expected a name");
    return std::string(token.text);
  }

  // The rest of a quoted template, its opening quote taken.
  ExpressionPtr quoted(const Token& open) {
    std::vector<ExpressionPtr> parts;
    std::string literal;
    size_t literal_begin = at_;
    const auto flush = [&] {
      if (literal.empty()) return;
      parts.push_back(make(source_.span(literal_begin, at_), Literal{Value(literal)}));
      literal.clear();
    };
    for (;;) {
      if (at_ >= source_.text.size()) fail(open, "this string has no closing quote");
      const std::string_view rest = source_.text.substr(at_);
      if (rest[0] == '"') break;
      if (rest.starts_with("$${") || rest.starts_with("%%{")) {
        literal += rest.substr(1, 2);
        at_ += 3;
      } else if (rest.starts_with("${")) {
        flush();
        at_ += 2;
        parts.push_back(expression());
        expect("}");
        literal_begin = at_;
      } else if (rest.starts_with("%{")) {
        throw ExpressionError(Code::expression_syntax, source_.span(at_, at_ + 2),
                              "template directives `%{…}` are not part of the language");
      } else if (rest[0] == '\\') {
        escape(rest, literal);
      } else {
        literal += rest[0];
        ++at_;
      }
    }
    if (parts.empty()) {
      ++at_;
      return make(since(open.begin), Literal{Value(literal)});
    }
    flush();
    ++at_;
    return make(since(open.begin), Template{std::move(parts)});
  }

  void escape(std::string_view rest, std::string& literal) {
    const size_t taken = read_escape(rest, literal);
    if (taken == 0) {
      throw ExpressionError(Code::expression_syntax, source_.span(at_, at_ + 2),
                            fmt::format("unknown escape `{}`", rest.substr(0, 2)),
                            "a backslash itself is written `\\\\`");
    }
    at_ += taken;
  }

  const Located& source_;
  size_t at_;
  int depth_ = 0;
  int operators_ = 0;
};

}  // namespace

Span Located::span(size_t begin, size_t end) const {
  if (offsets.empty()) return {};
  const size_t last = offsets.size() - 1;
  if (begin >= last) {  // the end of the text: right behind its last word
    const size_t word = text.find_last_not_of(" \n");
    const uint32_t at = word == std::string_view::npos ? offsets[0] : offsets[word] + 1;
    return {at, at};
  }
  end = std::min(std::max(end, begin), last);
  // The byte behind the last one may be far away, behind a line's indentation.
  const uint32_t stop = end > begin ? offsets[end - 1] + 1 : offsets[begin];
  return {offsets[begin], stop};
}

ExpressionPtr parse(const Located& text) {
  Parser parser(text, 0);
  ExpressionPtr expression = parser.expression();
  parser.expect_end();
  return expression;
}

ExpressionPtr parse(std::string_view text) {
  return parse(Located{text, {}});
}

ExpressionPtr parse_parenthesised(const Located& text, size_t& at) {
  Parser parser(text, at);
  ExpressionPtr expression = parser.expression();
  parser.expect_close();
  at = parser.position() + 1;
  return expression;
}

}  // namespace slipway::expression
