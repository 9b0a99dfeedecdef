// Patterns in host memory, for tests.
#pragma once

#include <cstddef>
#include <vector>

#include "nccl-tests/pattern.h"

namespace slipway::bandwidth {

inline std::vector<std::byte> filled(const Pattern& pattern, size_t bytes = 4096) {
  std::vector<std::byte> buffer(bytes);
  HostPatterns().fill(buffer, pattern);
  return buffer;
}

// The number of elements that are not as `pattern` says.
inline int64_t wrong(const std::vector<std::byte>& buffer, const Pattern& pattern) {
  HostPatterns patterns;
  patterns.check(buffer, pattern);
  return patterns.take_wrong();
}

}  // namespace slipway::bandwidth
