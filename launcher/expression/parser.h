// The parser for HCL expressions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/error.h"
#include "launcher/expression/expression.h"
#include "launcher/source/diagnostics.h"

namespace slipway::expression {

// An expression that cannot be parsed or evaluated. The code that catches it reports a diagnostic.
class ExpressionError : public Error {
 public:
  ExpressionError(source::Code code, Span span, const std::string& message, std::string help = {})
      : Error(message), code(code), span(span), help(std::move(help)) {}
  source::Code code;
  Span span;
  std::string help;
};

// Reports the error at its own place, or at `place` if it has none.
source::Diagnostic& report(const ExpressionError& error, Span place,
                           source::Diagnostics& diagnostics);

// A text, and the source offset of each of its bytes as source::text_offsets() returns it.
struct Located {
  std::string_view text;
  std::span<const uint32_t> offsets;  // one more than the text has bytes, or empty if unknown
  Span span(size_t begin, size_t end) const;
};

// Parses the whole text as one expression. Throws ExpressionError.
ExpressionPtr parse(const Located& text);
ExpressionPtr parse(std::string_view text);

// Parses the whole text as a template without quotes and escapes: text, ${…} and %{…}. Throws
// ExpressionError.
ExpressionPtr parse_template(const Located& text);

// Parses one expression from `at` on, and moves `at` to the `)` that must follow it.
ExpressionPtr parse_parenthesized(const Located& text, size_t& at);

}  // namespace slipway::expression
