// Settings of the studies that are run by hand, from the environment: SLIPWAY_SEED and others.
#pragma once

#include <cstdint>

#include "common/environment.h"
#include "common/text.h"

namespace slipway::bandwidth {

inline uint64_t study_setting(const char* name, uint64_t otherwise) {
  return to_number<uint64_t>(environment_variable(name)).value_or(otherwise);
}

}  // namespace slipway::bandwidth
