// The parser: lists, objects and `for`.
#include <utility>

#include "launcher/expression/syntax.h"

namespace slipway::expression {

ExpressionPtr Parser::tuple(const Token& open) {
  if (peek().word("for")) return for_expression(open, "]");
  const bool lines = std::exchange(newline_ends_item_, false);
  Tuple tuple;
  while (!peek().is("]")) {
    tuple.items.push_back(expression());
    if (!accept(",")) break;
  }
  expect("]");
  newline_ends_item_ = lines;
  return make(since(open.begin), std::move(tuple));
}

ExpressionPtr Parser::object(const Token& open) {
  if (peek().word("for")) return for_expression(open, "}");
  const bool lines = std::exchange(newline_ends_item_, true);
  ObjectExpression object;
  if (peek().after_newline) object.form = Form::lines;
  while (!peek().is("}")) {
    object.items.push_back(object_item());
    if (accept(",")) continue;
    if (!peek().after_newline) break;
    if (!peek().is("}")) object.form = Form::lines;
  }
  expect("}");
  newline_ends_item_ = lines;
  return make(since(open.begin), std::move(object));
}

ObjectItem Parser::object_item() {
  const Token key = peek();
  ObjectItem item;
  item.quoted_key = key.kind == Token::Kind::quote;
  if (key.kind == Token::Kind::identifier) {
    take();
    item.key = make(span_of(key), Literal{Value(std::string(key.text))});
    // A plain name is a key; to use its value, it must be in parentheses.
    if (peek().is(".") || peek().is("[") || peek().is("(")) {
      at_ = key.begin;
      postfix();
      fail_at(key.begin, at_, "a key that is not a plain name must be in parentheses",
              "write `(" + std::string(source_.text.substr(key.begin, at_ - key.begin)) + ")`");
    }
  } else {
    item.key = expression();
  }
  if (!accept("=") && !accept(":")) fail(peek(), unexpected(peek()) + ", expected `=`");
  item.value = expression();
  return item;
}

ExpressionPtr Parser::for_expression(const Token& open, std::string_view close) {
  const bool lines = std::exchange(newline_ends_item_, false);
  take();
  For loop;
  loop.value_name = identifier();
  if (accept(",")) loop.key_name = std::exchange(loop.value_name, identifier());
  if (!peek().word("in")) fail(peek(), unexpected(peek()) + ", expected `in`");
  take();
  loop.collection = expression();
  expect(":");
  loop.result = expression();
  if (close == "}") {
    loop.result_key = loop.result;
    expect("=>");
    loop.result = expression();
    loop.grouped = accept("...");
  }
  if (peek().word("if")) {
    take();
    loop.condition = expression();
  }
  expect(close);
  newline_ends_item_ = lines;
  return make(since(open.begin), std::move(loop));
}

}  // namespace slipway::expression
