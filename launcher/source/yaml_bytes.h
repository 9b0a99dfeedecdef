// Checks a file's encoding before it is read as YAML. Used by the YAML reader.
#pragma once

#include "launcher/source/diagnostics.h"

namespace slipway::source {

// Returns false and reports why if the file is not valid UTF-8 text.
bool check_bytes(Span file, const Sources& sources, Diagnostics& diagnostics);

// Reports a space that is not ASCII's at the beginning or the end of a value without quotes.
void check_ends(Span value, const Sources& sources, Diagnostics& diagnostics);

}  // namespace slipway::source
