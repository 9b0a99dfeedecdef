// A number and what it counts: "1 node", "3 nodes".
#pragma once

#include <fmt/core.h>

#include <concepts>
#include <string>
#include <string_view>

namespace slipway {

// `what` in the singular; its plural ends in s.
inline std::string counted(std::integral auto number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace slipway
