// The backend of host memory over MPI.
#pragma once

#include <memory>

#include "nccl-tests/backend.h"

namespace slipway::bandwidth {

// Whether this build has MPI. Without it, the other functions of MPI throw Error.
bool has_mpi();

// Initializes MPI, and finalizes it in the destructor; one per process. MPI's own errors end every
// rank.
std::unique_ptr<Backend> make_mpi_backend();

}  // namespace slipway::bandwidth
