#include "launcher/local/node_slurm.h"

#include "tests/unit/catch.h"

using namespace slipway::local;

TEST_CASE("node Slurm: users learn what becomes of MPI programs without PMIx") {
  CHECK(note_on_mpi({}) == "");
  CHECK(note_on_mpi({{26, 5, 5}, false}) ==
        "srun starts MPI programs as single ranks: this Slurm has no plugin for PMIx "
        "(mpi_pmix.so); start them with mpirun");
}
