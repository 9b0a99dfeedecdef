// Starts MPI on all ranks.
#pragma once

namespace slipway::bandwidth {

// MPI_Init; returns when all ranks have left it, and may get messages. Collective.
void start_mpi();

}  // namespace slipway::bandwidth
