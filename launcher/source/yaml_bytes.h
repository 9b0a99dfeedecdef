// Whether a file can be YAML by its bytes. Used by the reader.
#pragma once

#include "launcher/source/diagnostics.h"

namespace slipway::source {

// True when the file can be read as text at all; else that is said.
bool check_bytes(Span file, const Sources& sources, Diagnostics& diagnostics);

}  // namespace slipway::source
