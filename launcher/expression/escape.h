// Reads escapes such as \n in quoted strings of expressions.
#pragma once

#include <string>
#include <string_view>

namespace slipway::expression {

// Reads one escape at the beginning of `text` (\n \t \r \" \\ \uNNNN \UNNNNNNNN) and appends its
// character to `out`, in UTF-8. Returns the length of the escape in bytes, or 0 if it is not valid.
size_t read_escape(std::string_view text, std::string& out);

}  // namespace slipway::expression
