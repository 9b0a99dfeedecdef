// Finds the end of a value in an HCL file without parsing the value.
#pragma once

#include <cstddef>
#include <string_view>

#include "common/error.h"

namespace slipway::modules {

// A syntax error in HCL, with offsets in the text.
class HclError : public Error {
 public:
  static constexpr size_t nowhere = static_cast<size_t>(-1);
  HclError(size_t begin, size_t end, const std::string& message, size_t opened = nowhere)
      : Error(message), begin(begin), end(end), opened(opened) {}
  size_t begin;
  size_t end;
  size_t opened;  // offset of the opening bracket, quote or block; or nowhere
};

// The end of white space and comments at `at`; `lines` tells whether to skip line ends, too. Throws
// HclError for an unclosed comment.
size_t skip_blank(std::string_view text, size_t at, bool lines);

struct ValueRange {
  size_t end = 0;   // one past the value's last character; equal to `at` without a value
  size_t next = 0;  // the line end, the `}` of a one-line block, or the end of the text
};

// The value that starts at or after `at`. Brackets, strings, templates and heredocs in it may
// contain line ends and braces. Throws HclError for unclosed ones.
ValueRange find_value_end(std::string_view text, size_t at);

}  // namespace slipway::modules
