// What Slipway knows about a place of a blueprint, in Markdown.
#pragma once

#include <string>

#include "launcher/editor/document.h"
#include "launcher/editor/services.h"

namespace slipway::editor {

// A module's page at its `source`, a setting's type and where its value comes from, a variable's
// value, and below it the pages of diagnostics at this place. Empty where there is nothing.
std::string hover_text(const std::string& path, const Document& document, Position position,
                       const Services& services);

}  // namespace slipway::editor
