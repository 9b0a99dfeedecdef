// Starts MPI on all ranks.
#include "nccl-tests/mpi_start.h"

#include <cstring>

#define OMPI_SKIP_MPICXX 1  // only the C interface is used
#include <mpi.h>
#include <pmix.h>

#include "nccl-tests/find_function.h"

namespace slipway::bandwidth {
namespace {

// Of the libpmix that MPI has loaded, if it has.
struct Pmix {
  decltype(&::PMIx_Initialized) PMIx_Initialized = nullptr;
  decltype(&::PMIx_Fence) PMIx_Fence = nullptr;
};

// Waits for all ranks without a message of MPI. With the settings that Slurm has by default, only a
// fence that collects data waits (docs/decisions/0153-ranks-meet-after-mpi-init.md).
void meet_by_pmix() {
  Pmix pmix;
  SLIPWAY_FIND_OPTIONAL(RTLD_DEFAULT, pmix, PMIx_Initialized);
  SLIPWAY_FIND_OPTIONAL(RTLD_DEFAULT, pmix, PMIx_Fence);
  if (pmix.PMIx_Initialized == nullptr || pmix.PMIx_Fence == nullptr) return;
  if (!pmix.PMIx_Initialized()) return;  // other ways to start have other barriers
  pmix_info_t collect = {};
  std::strncpy(collect.key, PMIX_COLLECT_DATA, PMIX_MAX_KEYLEN);
  collect.value.type = PMIX_BOOL;
  collect.value.data.flag = true;
  // If it fails, a rank was started alone, or the first message shows that another is gone.
  pmix.PMIx_Fence(nullptr, 0, &collect, 1);
}

}  // namespace

void start_mpi() {
  MPI_Init(nullptr, nullptr);
  meet_by_pmix();
}

}  // namespace slipway::bandwidth
