// Shared by the fuzz targets: stops the program if a property does not hold, so that libFuzzer
// keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace slipway::fuzz {

// Continues if `holds`, else stops; `what` names the broken property and shows the texts in
// question.
inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "property broken: %s\n", what.c_str());
  std::abort();
}

}  // namespace slipway::fuzz
