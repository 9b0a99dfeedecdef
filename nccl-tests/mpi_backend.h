// The backend of host memory over MPI.
#pragma once

#include <memory>

#include "nccl-tests/backend.h"

namespace slipway::bandwidth {

// Initializes MPI, and finalizes it in the destructor; one per process. MPI's own errors end every
// rank.
std::unique_ptr<Backend> make_mpi_backend();

}  // namespace slipway::bandwidth
