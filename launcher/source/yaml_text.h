// How a scalar's text lies in the source. Used by the reader and by text_offsets().
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "launcher/source/yaml.h"

namespace slipway::source {

// Where each byte of the text stands in the source, and the end of the last one, from the scalar's
// begin. `raw` is the source from the scalar's first byte on, `text` what it means.
std::vector<uint32_t> scalar_offsets(std::string_view raw, Style style, std::string_view text);

// The end of a literal or folded scalar, from its begin: behind the last character of its text.
// `raw` is the source from the scalar's `|` or `>` to where nothing more of it can stand.
uint32_t block_end(std::string_view raw, std::string_view text);

}  // namespace slipway::source
