// The backend of host memory over MPI.
#pragma once

#include <memory>

#include "nccl-tests/backend.h"

namespace slipway::bandwidth {

// Initializes MPI, and finalizes it in the destructor; one per process. MPI's own errors end every
// rank.
std::unique_ptr<Backend> make_mpi_backend();

// Ends every rank of the job at once with `status`: for an error of which the others do not know.
[[noreturn]] void abort_mpi(int status);

}  // namespace slipway::bandwidth
