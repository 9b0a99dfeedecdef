// Escapes in quoted strings of expressions.
#pragma once

#include <string>
#include <string_view>

namespace slipway::expression {

// Reads one escape at the beginning of `text` (\n \t \r \" \\ \uNNNN \UNNNNNNNN) and appends what
// it means to `out`, in UTF-8. Returns the number of bytes that it took, 0 when it is none of
// these.
size_t read_escape(std::string_view text, std::string& out);

}  // namespace slipway::expression
