// What the fuzz targets share: a property that does not hold stops the program, so that libFuzzer
// keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace slipway::fuzz {

// `holds`, or the end; `what` says which property was broken and shows the texts in question.
inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "property broken: %s\n", what.c_str());
  std::abort();
}

}  // namespace slipway::fuzz
