// Where a value in an HCL file ends, found without understanding the value.
#pragma once

#include <cstddef>
#include <string_view>

#include "common/error.h"

namespace slipway::modules {

// A text that is not HCL. Offsets are those of the text.
class HclError : public Error {
 public:
  static constexpr size_t nowhere = static_cast<size_t>(-1);
  HclError(size_t begin, size_t end, const std::string& message, size_t opened = nowhere)
      : Error(message), begin(begin), end(end), opened(opened) {}
  size_t begin;
  size_t end;
  size_t opened;  // the bracket, quote or block that this is about; or nowhere
};

// The end of white space and comments from `at` on; line ends are passed over if `lines` says so.
// Throws HclError for a comment without end.
size_t skip_blank(std::string_view text, size_t at, bool lines);

struct ValueRange {
  size_t end = 0;   // one past the value's last character; `at` itself when there is no value
  size_t next = 0;  // the line end, the `}` of a block on one line, or the end of the text
};

// The value that starts at or after `at`: brackets, strings, templates and heredocs in it may hold
// line ends and braces. Throws HclError for what is not closed.
ValueRange find_value_end(std::string_view text, size_t at);

}  // namespace slipway::modules
