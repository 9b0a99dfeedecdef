// The parser of HCL's expression language.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/error.h"
#include "launcher/expression/expression.h"
#include "launcher/source/diagnostics.h"

namespace slipway::expression {

// An expression that cannot be read or that has no value: becomes a diagnostic where it is caught.
class ExpressionError : public Error {
 public:
  ExpressionError(source::Code code, Span span, const std::string& message, std::string help = {})
      : Error(message), code(code), span(span), help(std::move(help)) {}
  source::Code code;
  Span span;
  std::string help;
};

// The error as a diagnostic: at its own place, or at `place` when it has none.
source::Diagnostic& say(const ExpressionError& error, Span place, source::Diagnostics& diagnostics);

// A text and where each of its bytes stands in the sources: as source::text_offsets() gives it.
struct Located {
  std::string_view text;
  std::span<const uint32_t> offsets;  // one more than the text has bytes; or empty: no places
  Span span(size_t begin, size_t end) const;
};

// Reads the whole text as one expression. Throws ExpressionError.
ExpressionPtr parse(const Located& text);
ExpressionPtr parse(std::string_view text);

// Reads the whole text as a template without quotes and escapes: text, ${…} and %{…}. Throws
// ExpressionError.
ExpressionPtr parse_template(const Located& text);

// Reads one expression from `at` on and moves `at` behind it, where `)` must stand.
ExpressionPtr parse_parenthesised(const Located& text, size_t& at);

}  // namespace slipway::expression
