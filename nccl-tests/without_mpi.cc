// In place of MPI's backend, for builds that carry all their libraries with them: those of MPI are
// a cluster's own.
#include "common/error.h"
#include "nccl-tests/mpi_backend.h"
#include "nccl-tests/mpi_rendezvous.h"

namespace slipway::bandwidth {

bool has_mpi() {
  return false;
}

std::unique_ptr<Backend> make_mpi_backend() {
  throw Error("this build has no MPI: start the ranks with srun, without --backend mpi");
}

void meet_by_mpi() {
  throw Error(
      "this build has no MPI, by which ranks of mpirun on several hosts find each other: start "
      "them with srun");
}

}  // namespace slipway::bandwidth
