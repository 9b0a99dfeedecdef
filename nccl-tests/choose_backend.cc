// Chooses and makes the backend of a run.
#include "nccl-tests/choose_backend.h"

#include <cstdio>
#include <cstdlib>

#include <fmt/core.h>

#include "common/error.h"
#include "nccl-tests/cuda_library.h"
#include "nccl-tests/environment.h"
#include "nccl-tests/launch.h"
#include "nccl-tests/missing_gpus.h"
#include "nccl-tests/mpi_backend.h"
#include "nccl-tests/mpi_rendezvous.h"
#include "nccl-tests/nccl_backend.h"
#include "nccl-tests/part_backend.h"
#include "nccl-tests/sim_backend.h"
#include "nccl-tests/tcp_backend.h"

namespace slipway::bandwidth {

BackendChoice choose(BackendChoice wanted, int ranks_of_process) {
  if (wanted != BackendChoice::automatic) return wanted;
  const GpuSearch gpus = find_gpus();
  if (gpus.found == Gpus::usable) return BackendChoice::nccl;
  const MissingGpus missing = missing_gpus();
  const std::string problem = gpus.found == Gpus::unusable ? gpus.problem : missing.problem;
  if (!problem.empty())
    throw Error(problem + "; to measure host memory, say so with --backend tcp");
  if (!missing.warning.empty() && launcher_rank() == 0)
    fmt::print(stderr, "warning: {}\n", missing.warning);
  return has_mpi() && was_launched_by_mpi() && ranks_of_process == 1 ? BackendChoice::mpi
                                                                     : BackendChoice::tcp;
}

void prepare_to_launch(BackendChoice choice) {
  const bool meets_itself = choice == BackendChoice::nccl || choice == BackendChoice::tcp;
  if (meets_itself && std::getenv("SLIPWAY_RANK") == nullptr && mpirun_spans_hosts()) meet_by_mpi();
}

std::unique_ptr<Backend> make_backend(BackendChoice choice, const std::filesystem::path& world,
                                      const NcclSettings& nccl) {
  std::unique_ptr<Backend> backend;
  switch (choice) {
    case BackendChoice::sim:
      return make_sim_backend(load_sim_world(world));
    case BackendChoice::nccl:
      backend = make_nccl_backend(read_launch(), nccl);
      break;
    case BackendChoice::tcp:
      backend = make_tcp_backend(read_launch());
      break;
    default:
      refuse_task_without_pmix();
      backend = make_mpi_backend();
  }
  refuse_world_of_one(backend->size());
  return in_groups(std::move(backend));
}

}  // namespace slipway::bandwidth
