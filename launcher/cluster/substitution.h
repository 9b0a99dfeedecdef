// Replaces $(host_nics), $(gpu_nics) and $(rdma_devices) in a transport's rules.
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

// The first `$(` that does not begin a known name, with the text that belongs to it; empty if all
// are known.
std::optional<ValueRange> find_bad_substitution(std::string_view value);

// Replaces the names in `value` by the interfaces of each purpose, joined by commas. `value` must
// not have bad substitutions.
std::string substitute(std::string_view value,
                       const std::vector<NodeProfile::Interface>& interfaces);

}  // namespace slipway::cluster
