#include "nccl-tests/environment.h"

#include "common/error.h"
#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/variable.h"

using namespace slipway;
using namespace slipway::bandwidth;

TEST_CASE("environment: a report shows only the variables of the list") {
  const Variable listed("NCCL_SOCKET_IFNAME", "enp0s12");
  const Variable secret("NCCL_SECRET_TOKEN", "hunter2");
  const Variable other("SLURM_JWT", "hunter2");
  const auto environment = explaining_environment();
  CHECK(environment.at("NCCL_SOCKET_IFNAME") == "enp0s12");
  for (const auto& [name, value] : environment) CHECK(value != "hunter2");
}

TEST_CASE("environment: a task that Slurm started without PMIx is refused") {
  const Variable no_mpirun("OMPI_COMM_WORLD_SIZE", nullptr);
  const Variable no_pmi("PMI_RANK", nullptr);
  const Variable tasks("SLURM_NTASKS", "4");
  {
    const Variable no_pmix("PMIX_RANK", nullptr);
    CHECK_THROWS_WITH(refuse_task_without_pmix(),
                      "Slurm started 4 tasks, but this one cannot find the others, because it was "
                      "started without PMIx; use `srun --mpi=pmix`");
  }
  const Variable pmix("PMIX_RANK", "3");
  CHECK_NOTHROW(refuse_task_without_pmix());
  CHECK(launcher_rank() == 3);
}

TEST_CASE("environment: one task, or no Slurm, is accepted") {
  const Variable no_mpirun("OMPI_COMM_WORLD_SIZE", nullptr);
  const Variable no_pmi("PMI_RANK", nullptr);
  const Variable no_pmix("PMIX_RANK", nullptr);
  {
    const Variable tasks("SLURM_NTASKS", "1");
    CHECK_NOTHROW(refuse_task_without_pmix());
  }
  const Variable no_slurm("SLURM_NTASKS", nullptr);
  CHECK_NOTHROW(refuse_task_without_pmix());
}

TEST_CASE("environment: a rank alone among several tasks is refused, however it was started") {
  const Variable tasks("SLURM_NTASKS", "4");
  CHECK_NOTHROW(refuse_world_of_one(4));
  CHECK_THROWS_WITH(
      refuse_world_of_one(1),
      "Slurm started 4 tasks, but this one found no other: each would measure itself alone");
}

TEST_CASE("environment: the machine has a CPU and a time of day") {
  CHECK(!cpu_name().empty());
  CHECK(utc_now().size() == std::string("2026-11-21T08:15:29Z").size());
}
