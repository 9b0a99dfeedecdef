// Maps a scalar's text back to the source. Used by the YAML reader and text_offsets().
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "launcher/source/yaml.h"

namespace slipway::source {

// The offset of each byte of `text` from the scalar's beginning in the source, plus one for its
// end. `raw` is the source from the scalar's first byte on, `text` its value.
std::vector<uint32_t> scalar_offsets(std::string_view raw, Style style, std::string_view text);

// The length of a literal or folded scalar in the source, up to the last character of its text.
// `raw` is the source from the scalar's `|` or `>` to at least the scalar's end.
uint32_t block_end(std::string_view raw, std::string_view text);

}  // namespace slipway::source
