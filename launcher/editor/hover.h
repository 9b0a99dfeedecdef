// What Slipway knows about a place of a blueprint, in Markdown.
#pragma once

#include <string>

#include "launcher/editor/document.h"
#include "launcher/editor/services.h"

namespace slipway::editor {

// A module's page at its `source` or `id`, a setting's type and where its value comes from, or a
// variable's value. Empty elsewhere.
std::string hover_text(const std::string& path, const Document& document, Position position,
                       const Services& services);

}  // namespace slipway::editor
