// Text inside of HTML, SVG and the HTML-like labels of graphviz.
#pragma once

#include <string>
#include <string_view>

namespace slipway {

// With &, <, > and " as entities: good between tags and within the quotes of an attribute.
std::string markup_escaped(std::string_view text);

}  // namespace slipway
