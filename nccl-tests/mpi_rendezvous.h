// Lets MPI tell the ranks of mpirun where rank 0 is, and which key they share.
#pragma once

namespace slipway::bandwidth {

// Starts and ends MPI, and sets SLIPWAY_RANK, SLIPWAY_SIZE, SLIPWAY_RENDEZVOUS and SLIPWAY_RUN_KEY,
// from which read_launch() then takes everything. Collective. Throws Error.
void meet_by_mpi();

}  // namespace slipway::bandwidth
