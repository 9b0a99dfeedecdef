// How large an input may be.
#pragma once

#include <cstddef>

namespace slipway::source {

// Of a text that a person has written, in bytes: a hundred times what people write.
inline constexpr size_t largest_file = 1 << 20;

}  // namespace slipway::source
