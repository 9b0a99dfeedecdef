// The size limit for files that people write, such as blueprints and module files.
#pragma once

#include <cstddef>

namespace slipway::source {

// In bytes: a hundred times what people write.
inline constexpr size_t max_input_bytes = 1 << 20;

}  // namespace slipway::source
