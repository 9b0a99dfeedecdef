// -D and -V of nccl-tests: kernels of its own, which are not part of this program.
#pragma once

#include "nccl-tests/collective.h"

namespace slipway::bandwidth {

// Throws UsageError unless `number` is 0: that nccl-tests refuses it as well, or what to run
// instead. `blocks` is -V.
void refuse_device_implementation(const Collective& collective, int number, int blocks);

}  // namespace slipway::bandwidth
