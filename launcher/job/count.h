// A number and what it counts: "1 node", "3 nodes".
#pragma once

#include <fmt/core.h>

#include <string>

namespace slipway::job {

inline std::string count(size_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace slipway::job
