// The backend of host memory over TCP: rings and chains of our own, no MPI.
#pragma once

#include <memory>

#include "nccl-tests/backend.h"
#include "nccl-tests/launch.h"

namespace slipway::bandwidth {

// Meets the other ranks; all ranks. Throws Error that says who did not come.
std::unique_ptr<Backend> make_tcp_backend(const Launch& launch);

}  // namespace slipway::bandwidth
