// Starts collectives with NCCL: with its own function if there is one, or with sends and receives.
#pragma once

#include "nccl-tests/backend.h"
#include "nccl-tests/nccl_library.h"

namespace slipway::bandwidth {

struct NcclPlace {
  NcclComm comm = nullptr;
  CudaStream stream = nullptr;
  int rank = 0;
  int ranks = 1;
};

// Queues the operation on the stream. Throws Error if NCCL refuses it.
void start_operation(const NcclLibrary& nccl, const Operation& operation, const NcclPlace& place);

}  // namespace slipway::bandwidth
