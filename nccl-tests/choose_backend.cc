// Chooses and makes the backend of a run.
#include "nccl-tests/choose_backend.h"

#include "common/error.h"
#include "nccl-tests/environment.h"
#include "nccl-tests/launch.h"
#include "nccl-tests/mpi_backend.h"
#include "nccl-tests/nccl_backend.h"
#include "nccl-tests/nccl_library.h"
#include "nccl-tests/sim_backend.h"
#include "nccl-tests/tcp_backend.h"

namespace slipway::bandwidth {

BackendChoice choose(BackendChoice wanted) {
  if (wanted != BackendChoice::automatic) return wanted;
  if (has_usable_gpu()) return BackendChoice::nccl;
  return was_launched_by_mpi() ? BackendChoice::mpi : BackendChoice::tcp;
}

std::unique_ptr<Backend> make_backend(BackendChoice choice, const std::filesystem::path& world) {
  std::unique_ptr<Backend> backend;
  switch (choice) {
    case BackendChoice::sim:
      return make_sim_backend(load_sim_world(world));
    case BackendChoice::nccl:
      backend = make_nccl_backend(read_launch());
      break;
    case BackendChoice::tcp:
      backend = make_tcp_backend(read_launch());
      break;
    default:
      refuse_task_without_pmix();
      backend = make_mpi_backend();
  }
  refuse_world_of_one(backend->size());
  return backend;
}

}  // namespace slipway::bandwidth
