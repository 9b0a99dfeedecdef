// Places and diagnostics as JSON, for editors and other programs. The shape is that of
// docs/schemas/diagnostics-1.schema.json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "launcher/source/diagnostics.h"

namespace slipway::source {

// {"file", "line", "column", "end_line", "end_column", "begin_byte", "end_byte"}; null for no
// place. Lines and columns count from 1, columns in characters; bytes count from 0 in the file. The
// end is one past the last.
nlohmann::ordered_json to_json(Span span, const Sources& sources);

// {"schema": "slipway/diagnostics/1", "errors", "warnings", "diagnostics"}, in the order in which
// they are shown.
nlohmann::ordered_json to_json(const Diagnostics& diagnostics);

// The same as one line of UTF-8, without its end: a message may quote what is not UTF-8.
std::string to_json_line(const Diagnostics& diagnostics);

}  // namespace slipway::source
