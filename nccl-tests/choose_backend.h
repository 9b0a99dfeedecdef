// Making the backend that was asked for, or the one that fits this place.
#pragma once

#include <memory>

#include "nccl-tests/backend.h"
#include "nccl-tests/options.h"

namespace slipway::bandwidth {

// `automatic` becomes nccl where there is a GPU, mpi where mpirun or PMIx has started this process,
// and tcp otherwise.
BackendChoice choose(BackendChoice wanted);

// Meets the other ranks; all ranks. Throws Error, also for a world of one where Slurm has started
// several tasks. `world` is of the backend sim.
std::unique_ptr<Backend> make_backend(BackendChoice choice, const std::filesystem::path& world);

}  // namespace slipway::bandwidth
