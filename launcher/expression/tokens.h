// The tokens of HCL's expression language.
#pragma once

#include <cstddef>
#include <string_view>

namespace slipway::expression {

struct Token {
  enum class Kind { end, identifier, number, quote, heredoc, symbol, bad };
  Kind kind = Kind::end;
  std::string_view text;  // for `quote` the opening quote, for `heredoc` the `<<EOT`; a
  // template follows
  size_t begin = 0;            // offset in the text
  bool after_newline = false;  // a line end precedes it

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  bool word(std::string_view name) const { return kind == Kind::identifier && text == name; }
};

// The token at or after `at`. White space and comments are skipped.
Token next_token(std::string_view text, size_t at);

// An HCL identifier: a letter or _, then letters, digits, _ and -.
bool is_identifier(std::string_view text);

}  // namespace slipway::expression
