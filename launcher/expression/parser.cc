// The parser: names, operators and calls.
#include "launcher/expression/parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "launcher/expression/syntax.h"

namespace slipway::expression {
namespace {

using source::Code;

// Each operator in a chain a + b + … makes the tree one level deeper.
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

}  // namespace

source::Diagnostic& report(const ExpressionError& error, Span place,
                           source::Diagnostics& diagnostics) {
  return diagnostics.error(error.code, error.span ? error.span : place, error.what())
      .help(error.help);
}

ExpressionPtr Parser::expression() {
  if (++depth_ > depth_limit) fail(peek(), "this expression is nested too deeply");
  ExpressionPtr condition = binary(1);
  if (peek().is("?") && continues(peek())) {
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

void Parser::expect_end() {
  if (peek().kind != Token::Kind::end) fail(peek(), unexpected(peek()));
}

void Parser::expect_close() {
  if (!peek().is(")")) fail(peek(), unexpected(peek()) + ", expected `)`");
}

void Parser::fail(const Token& token, const std::string& message) const {
  fail_at(token.begin, token.begin + std::max<size_t>(1, token.text.size()), message);
}

void Parser::fail_at(size_t begin, size_t end, const std::string& message, std::string help) const {
  throw ExpressionError(Code::expression_syntax, source_.span(begin, end), message,
                        std::move(help));
}

std::string Parser::unexpected(const Token& token) {
  return token.kind == Token::Kind::end ? std::string("unexpected end of the expression")
                                        : fmt::format("unexpected `{}`", token.text);
}

Token Parser::take() {
  const Token token = peek();
  at_ = token.begin + token.text.size();
  return token;
}

void Parser::expect(std::string_view symbol) {
  if (!accept(symbol)) fail(peek(), unexpected(peek()) + fmt::format(", expected `{}`", symbol));
}

bool Parser::accept(std::string_view symbol) {
  if (!peek().is(symbol)) return false;
  take();
  return true;
}

std::string Parser::identifier() {
  const Token token = take();
  if (token.kind != Token::Kind::identifier) fail(token, unexpected(token) + ", expected a name");
  return std::string(token.text);
}

Span Parser::span_of(const Token& token) const {
  return source_.span(token.begin, token.begin + token.text.size());
}

void Parser::count_operator(const Token& token) {
  if (++operators_ > operator_limit) {
    fail(token, fmt::format("this expression has more than {} operators", operator_limit));
  }
}

ExpressionPtr Parser::binary(int precedence) {
  ExpressionPtr left = unary();
  for (;;) {
    const Token token = peek();
    if (token.kind != Token::Kind::symbol) return left;
    const auto level = std::find_if(levels.begin(), levels.end(),
                                    [&](const Level& l) { return token.is(l.symbol); });
    if (level == levels.end() || level->precedence < precedence || !continues(token)) return left;
    count_operator(take());
    ExpressionPtr right = binary(level->precedence + 1);
    left = make(source::join(left->span, right->span), Binary{level->op, left, right});
  }
}

ExpressionPtr Parser::unary() {
  const Token token = peek();
  if (!token.is("!") && !token.is("-")) return postfix();
  take();
  if (++depth_ > depth_limit) fail(token, "this expression is nested too deeply");
  ExpressionPtr operand = unary();
  --depth_;
  return make(source::join(span_of(token), operand->span), Unary{token.text[0], operand});
}

ExpressionPtr Parser::postfix() {
  const size_t begin = peek().begin;
  ExpressionPtr base = primary();
  std::vector<Step> steps;
  for (;;) {
    const Token token = peek();
    if (!continues(token)) break;
    if (token.is(".")) {
      take();
      attribute(token, steps);
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

// What follows a dot: a name, `*`, or an index in the old notation, `.0`.
void Parser::attribute(const Token& dot, std::vector<Step>& steps) {
  const Token name = take();
  if (name.is("*")) {
    count_operator(name);
    const auto last = std::find_if(steps.rbegin(), steps.rend(), [](const Step& step) {
      return step.kind != Step::Kind::attribute;
    });
    if (last != steps.rend() && last->kind == Step::Kind::attribute_splat) {
      fail_at(dot.begin, at_, "`.*` cannot follow another `.*`", "use `[*]` for both");
    }
    steps.push_back({Step::Kind::attribute_splat, "", nullptr, source_.span(dot.begin, at_)});
  } else if (name.kind == Token::Kind::number) {
    steps.push_back(legacy_index(name));
  } else if (name.kind == Token::Kind::identifier) {
    steps.push_back({Step::Kind::attribute, std::string(name.text), nullptr, span_of(name)});
  } else {
    fail(name, unexpected(name) + ", expected a name");
  }
}

// After `.*`, the old notation `.0` applies to each element, as an attribute does; `[0]` does not.
Step Parser::legacy_index(const Token& number) {
  if (number.text.find_first_not_of("0123456789") != std::string_view::npos) {
    fail(number, fmt::format("`.{}` is not an element: write `[…][…]`", number.text));
  }
  const Span span = span_of(number);
  const Value key(std::strtold(std::string(number.text).c_str(), nullptr));
  return {Step::Kind::index, ".", make(span, Literal{key}), span};
}

Step Parser::index(const Token& bracket) {
  const bool lines = std::exchange(newline_ends_item_, false);
  if (peek().is("*")) {
    count_operator(take());
    expect("]");
    newline_ends_item_ = lines;
    return {Step::Kind::splat, "", nullptr, since(bracket.begin)};
  }
  ExpressionPtr key = expression();
  expect("]");
  newline_ends_item_ = lines;
  return {Step::Kind::index, "", key, since(bracket.begin)};
}

ExpressionPtr Parser::primary() {
  const Token token = take();
  switch (token.kind) {
    case Token::Kind::number: {
      const Value::Number number = std::strtold(std::string(token.text).c_str(), nullptr);
      if (!std::isfinite(number)) fail(token, "this number is too large");
      return make(span_of(token), Literal{Value(number)});
    }
    case Token::Kind::quote:
      return quoted(token);
    case Token::Kind::heredoc:
      return heredoc(token);
    case Token::Kind::identifier: {
      const Token next = peek();
      const bool called = (next.is("(") || next.is("::")) && continues(next);
      return called ? call(token) : name(token);
    }
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

ExpressionPtr Parser::name(const Token& token) {
  if (token.text == "true") return make(span_of(token), Literal{Value(true)});
  if (token.text == "false") return make(span_of(token), Literal{Value(false)});
  if (token.text == "null") return make(span_of(token), Literal{Value()});
  return make(span_of(token), Traversal{std::string(token.text), nullptr, {}});
}

ExpressionPtr Parser::parenthesis(const Token& open) {
  const bool lines = std::exchange(newline_ends_item_, false);
  ExpressionPtr inner = expression();
  expect(")");
  newline_ends_item_ = lines;
  return make(since(open.begin), Parenthesis{inner});
}

// f(…), provider::x::f(…)
ExpressionPtr Parser::call(const Token& first) {
  Call call{std::string(first.text), {}, {}, false};
  while (accept("::")) call.function += "::" + identifier();
  call.name_span = since(first.begin);
  expect("(");
  const bool lines = std::exchange(newline_ends_item_, false);
  while (!peek().is(")")) {
    call.arguments.push_back(expression());
    if (accept("...")) {
      call.spread = true;
      accept(",");
      break;
    }
    if (!accept(",")) break;
  }
  expect(")");
  newline_ends_item_ = lines;
  return make(since(first.begin), std::move(call));
}

Span Located::span(size_t begin, size_t end) const {
  if (offsets.empty()) return {};
  const size_t last = offsets.size() - 1;
  if (begin >= last) {  // the end of the text: right after its last word
    const size_t word = text.find_last_not_of(" \n");
    const uint32_t at = word == std::string_view::npos ? offsets[0] : offsets[word] + 1;
    return {at, at};
  }
  end = std::min(std::max(end, begin), last);
  // In the source, the byte after the last one may be far away, after a line's indentation.
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

ExpressionPtr parse_template(const Located& text) {
  return Parser(text, 0).whole_template();
}

ExpressionPtr parse_parenthesized(const Located& text, size_t& at) {
  Parser parser(text, at);
  ExpressionPtr expression = parser.expression();
  parser.expect_close();
  at = parser.position() + 1;
  return expression;
}

}  // namespace slipway::expression
