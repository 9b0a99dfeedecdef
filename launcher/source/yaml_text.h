// How a scalar's text lies in the source. Used by the reader and by text_offsets().
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "launcher/source/yaml.h"

namespace slipway::source {

struct ScalarExtent {
  std::vector<uint32_t>
      offsets;        // of each byte of the text, and of its end, from the scalar's begin
  size_t length = 0;  // bytes of source from the first to the last, quotes included
};

// `raw` is the source from the scalar's first byte on, `text` what it means.
ScalarExtent scalar_extent(std::string_view raw, Style style, std::string_view text);

}  // namespace slipway::source
