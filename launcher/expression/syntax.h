// Internal declarations of the parser: recursive descent, with one function for each level of the
// grammar.
// Grammar: https://github.com/hashicorp/hcl/blob/main/hclsyntax/spec.md
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/expression/parser.h"
#include "launcher/expression/tokens.h"

namespace slipway::expression {

// Deeper than people write, and far from exhausting the stack.
constexpr int depth_limit = 200;

class Parser {
 public:
  Parser(const Located& text, size_t at) : source_(text), at_(at) {}

  ExpressionPtr expression();

  // The whole text as a template without quotes and escapes, for templatestring().
  ExpressionPtr whole_template();

  void expect_end();
  void expect_close();
  size_t position() const { return peek().begin; }

 private:
  // parser.cc
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
  // In an object, a line end ends the item, so the next line cannot begin with an operator.
  bool continues(const Token& token) const { return !newline_ends_item_ || !token.after_newline; }
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
  mutable Token next_;  // the token at next_at_, cached since it is read several times
  mutable size_t next_at_ = std::string_view::npos;
  bool newline_ends_item_ = false;
  int depth_ = 0;
  int operators_ = 0;
};

}  // namespace slipway::expression
