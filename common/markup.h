// Escapes text for HTML, SVG and Graphviz's HTML-like labels.
#pragma once

#include <string>
#include <string_view>

namespace slipway {

// Replaces &, <, > and " by entities, for text between tags and in quoted attributes.
std::string markup_escaped(std::string_view text);

}  // namespace slipway
