// Codes of warnings whose errors have another code: what is fatal in one setting may be doubtful in
// another, and each has its own page.
#pragma once

#include <string_view>

#include "launcher/source/diagnostics.h"

namespace slipway::source {

// The code that a diagnostic is shown with: "E0217", or as a warning "W0230".
std::string_view shown_code(const Diagnostic& diagnostic);

}  // namespace slipway::source
