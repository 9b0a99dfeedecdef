// The parser's own declarations: recursive descent, one function a level of HCL's grammar.
// Grammar: https://github.com/hashicorp/hcl/blob/main/hclsyntax/spec.md
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/expression/parser.h"
#include "launcher/expression/tokens.h"

namespace slipway::expression {

// Deeper than any person writes, and far from the end of the stack.
constexpr int depth_limit = 200;

class Parser {
 public:
  Parser(const Located& text, size_t at) : source_(text), at_(at) {}

  ExpressionPtr expression();

  // The whole text as a template, without quotes and escapes: what templatestring() takes.
  ExpressionPtr whole_template();

  void expect_end();
  void expect_close();
  size_t position() const { return peek().begin; }

 private:
  // parser.cc: names, operators and what stands between them
  [[noreturn]] void fail(const Token& token, const std::string& message) const;
  [[noreturn]] void fail_at(size_t begin, size_t end, const std::string& message,
                            std::string help = {}) const;
  static std::string unexpected(const Token& token);
  Token peek() const {
    if (next_at_ != at_) {
      next_ = next_token(source_.text, at_);
      next_at_ = at_;
    }
    return next_;
  }
  Token take();
  void expect(std::string_view symbol);
  bool accept(std::string_view symbol);
  std::string identifier();
  Span span_of(const Token& token) const;
  Span since(size_t begin) const { return source_.span(begin, at_); }
  // In an object a line end is the end of an item, so an operator cannot begin the next line.
  bool goes_on(const Token& token) const { return !lines_count_ || !token.after_newline; }
  void count_operator(const Token& token);

  ExpressionPtr binary(int precedence);
  ExpressionPtr unary();
  ExpressionPtr postfix();
  void attribute(const Token& dot, std::vector<Step>& steps);
  Step index(const Token& bracket);
  Step legacy_index(const Token& number);
  ExpressionPtr primary();
  ExpressionPtr name(const Token& token);
  ExpressionPtr parenthesis(const Token& open);
  ExpressionPtr call(const Token& first);

  // parser_collections.cc
  ExpressionPtr tuple(const Token& open);
  ExpressionPtr object(const Token& open);
  ObjectItem object_item();
  ExpressionPtr for_expression(const Token& open, std::string_view close);

  // parser_templates.cc
  struct Part;
  struct Heredoc;
  ExpressionPtr quoted(const Token& open);
  ExpressionPtr heredoc(const Token& open);
  Part sequence();
  void escape(std::string_view rest, std::string& literal);
  bool literal_part(std::string_view rest, std::string& literal, bool escapes);
  std::vector<Part> quoted_parts(const Token& open);
  std::vector<Part> plain_parts(const Heredoc* heredoc);
  bool ends_here(const Heredoc& heredoc);
  static void strip(std::vector<Part>& parts);
  static void flush_left(std::vector<Part>& parts);
  ExpressionPtr build(std::vector<Part> parts, size_t begin);
  ExpressionPtr directive(std::vector<Part>& parts, size_t& next);
  std::vector<ExpressionPtr> until(std::vector<Part>& parts, size_t& next, const Part* open);

  const Located& source_;
  size_t at_;
  mutable Token next_;  // the token at next_at_: it is looked at a few times
  mutable size_t next_at_ = std::string_view::npos;
  bool lines_count_ = false;
  int depth_ = 0;
  int operators_ = 0;
};

}  // namespace slipway::expression
