// What a mistake in YAML is to the one who wrote the file. Used by the reader.
#pragma once

#include <cstdint>
#include <string>

#include "launcher/source/sources.h"

namespace slipway::source {

struct YamlMistake {
  Span span;
  std::string message;
  std::string help;  // may be empty
};

// `message` is yaml-cpp's, at the byte `at` of `file`; `bracket` is the innermost `[` or `{` that
// has not been closed, or no place.
YamlMistake explain_mistake(const std::string& message, uint32_t at, Span file, Span bracket,
                            const Sources& sources);

}  // namespace slipway::source
