// Chooses and makes the backend of a run: the one that --backend names, or the best available.
#pragma once

#include <memory>

#include "nccl-tests/backend.h"
#include "nccl-tests/nccl_backend.h"
#include "nccl-tests/options.h"

namespace slipway::bandwidth {

// `automatic` becomes nccl if there is a GPU, mpi if mpirun or PMIx started this process as one
// rank, and tcp otherwise. Throws Error if there is a GPU that cannot be used: host memory would be
// measured although nobody asked for it.
BackendChoice choose(BackendChoice wanted, int ranks_of_process = 1);

// Before the processes of a run are made: lets mpirun's ranks on several hosts find each other.
void prepare_to_launch(BackendChoice choice);

// Connects to the other ranks; collective. Throws Error, also when this rank is alone although
// Slurm started several tasks. `world` is the file of the backend sim.
std::unique_ptr<Backend> make_backend(BackendChoice choice, const std::filesystem::path& world,
                                      const NcclSettings& nccl = {});

}  // namespace slipway::bandwidth
