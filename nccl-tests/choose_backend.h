// Chooses and makes the backend of a run: the one that --backend names, or the best available.
#pragma once

#include <memory>

#include "nccl-tests/backend.h"
#include "nccl-tests/options.h"

namespace slipway::bandwidth {

// `automatic` becomes nccl if there is a GPU, mpi if mpirun or PMIx started this process, and tcp
// otherwise.
BackendChoice choose(BackendChoice wanted);

// Connects to the other ranks; collective. Throws Error, also when this rank is alone although
// Slurm started several tasks. `world` is the file of the backend sim.
std::unique_ptr<Backend> make_backend(BackendChoice choice, const std::filesystem::path& world);

}  // namespace slipway::bandwidth
