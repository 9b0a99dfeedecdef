// Places and diagnostics as JSON, for editors and other programs, in the format of
// docs/schemas/diagnostics-1.schema.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "launcher/source/diagnostics.h"

namespace slipway::source {

// {"file", "line", "column", "end_line", "end_column", "begin_byte", "end_byte"}; null for an
// empty span. Lines and columns are 1-based, columns count characters; byte offsets in the file are
// 0-based. The end is exclusive.
nlohmann::ordered_json to_json(Span span, const Sources& sources);

// {"schema": "slipway/diagnostics/1", "errors", "warnings", "diagnostics"}, in the order of
// Diagnostics::sorted().
nlohmann::ordered_json to_json(const Diagnostics& diagnostics);

// The same as one line without a line feed, in valid UTF-8 even if a message quotes other bytes.
std::string to_json_line(const Diagnostics& diagnostics);
// The same in several lines, with a line feed at the end.
std::string to_json_text(const Diagnostics& diagnostics);

}  // namespace slipway::source
