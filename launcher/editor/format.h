// Formats YAML by editing its text: indentation, trailing blanks, empty lines at both ends of the
// file, and the blanks after `:` and `-`. Comments, order, quoting and everything else stay.
//
//   a:               a:
//       - b:   1       - b: 1
//         # why   →      # why
//         c: |           c: |
//               text       text
#pragma once

#include <optional>
#include <string>

#include "launcher/source/diagnostics.h"

namespace slipway::editor {

// The formatted text, without a byte order mark. Nothing, and diagnostics, if the file is not valid
// YAML. `file` is the span that Sources::add returned. Text that would mean something else after
// formatting is returned unchanged.
std::optional<std::string> format_yaml(source::Span file, const source::Sources& sources,
                                       source::Diagnostics& diagnostics);

// What format_yaml() makes of valid YAML before it compares the two, and the comparison: the same
// YAML events, and the same characters but for white space.
std::string laid_out(source::Span file, const source::Sources& sources);
bool means_the_same(source::Span a, source::Span b, const source::Sources& sources);

}  // namespace slipway::editor
