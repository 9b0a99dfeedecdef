// $(host_nics) and $(gpu_nics) in the rules of a transport.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/node_profile.h"

namespace slipway::cluster {

// A range of bytes of a rule's value.
struct ValueRange {
  size_t begin = 0;
  size_t end = 0;
};

// The first `$(` that does not begin a known name, with what belongs to it; nothing when all is
// well.
std::optional<ValueRange> find_bad_substitution(std::string_view value);

// `value` with the names of the interfaces of each purpose, joined by commas. The value has no bad
// substitution.
std::string substitute(std::string_view value,
                       const std::vector<NodeProfile::Interface>& interfaces);

}  // namespace slipway::cluster
