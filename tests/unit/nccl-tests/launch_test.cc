#include "nccl-tests/launch.h"
#include "nccl-tests/slurm_hosts.h"

#include "common/error.h"
#include "tests/unit/catch.h"
#include "tests/unit/nccl-tests/variable.h"

using namespace slipway;
using namespace slipway::bandwidth;

namespace {

// An environment without the variables of any launcher.
struct Nobody {
  Variable own{"SLIPWAY_RANK", nullptr}, mpirun{"OMPI_COMM_WORLD_SIZE", nullptr},
      step{"SLURM_STEP_NUM_TASKS", nullptr}, tasks{"SLURM_NTASKS", nullptr},
      hydra{"PMI_SIZE", nullptr}, share{"SLIPWAY_SHARE", nullptr};
};

}  // namespace

TEST_CASE("launch: the first host of a Slurm host list") {
  CHECK(first_host("a") == "a");
  CHECK(first_host("a,b") == "a");
  CHECK(first_host("quick-a3meganodeset-[0-3]") == "quick-a3meganodeset-0");
  CHECK(first_host("n[003-007,9]b,c") == "n003b");
  CHECK(first_host("r[1-2]n[4,6]") == "r1n4");
  CHECK(first_host("") == "");
}

TEST_CASE("launch: a Slurm step gives rank, size and the host of rank 0") {
  const Nobody nobody;
  const Variable step("SLURM_STEP_NUM_TASKS", "4"), procid("SLURM_PROCID", "2"),
      list("SLURM_STEP_NODELIST", "a-[3-6]"), job("SLURM_JOB_ID", "77"), id("SLURM_STEP_ID", "1"),
      ports("SLURM_STEP_RESV_PORTS", nullptr);
  const Launch launch = read_launch();
  CHECK(launch.rank == 2);
  CHECK(launch.size == 4);
  CHECK(launch.host == "a-3");
  CHECK(launch.ports.size() == 16);
  for (const int port : launch.ports) CHECK((port >= 20000 && port < 32000));
  {
    const Variable other("SLURM_STEP_ID", "2");
    CHECK(read_launch().token != launch.token);
    CHECK(read_launch().ports != launch.ports);
  }
  const Variable reserved("SLURM_STEP_RESV_PORTS", "12000-12003");
  CHECK(read_launch().ports == std::vector<int>{12000});
}

TEST_CASE("launch: several tasks without a step are refused") {
  const Nobody nobody;
  CHECK(read_launch().size == 1);
  const Variable tasks("SLURM_NTASKS", "4");
  CHECK_THROWS_WITH(
      read_launch(),
      "Slurm started 4 tasks, but this one cannot find the others, because it was started "
      "without srun; use `srun`");
}

TEST_CASE("launch: SLIPWAY_* variables work with any launcher") {
  const Nobody nobody;
  const Variable rank("SLIPWAY_RANK", "1"), size("SLIPWAY_SIZE", "2"),
      place("SLIPWAY_RENDEZVOUS", "10.0.0.1:5000");
  const Launch launch = read_launch();
  CHECK(launch.rank == 1);
  CHECK(launch.size == 2);
  CHECK(launch.host == "10.0.0.1");
  CHECK(launch.ports == std::vector<int>{5000});
  {
    const Variable wrong("SLIPWAY_RENDEZVOUS", "somewhere");
    CHECK_THROWS_WITH(read_launch(),
                      "SLIPWAY_RENDEZVOUS is `somewhere`, expected HOST:PORT of rank 0");
  }
  {
    const Variable wrong("SLIPWAY_RANK", "-1");
    CHECK_THROWS_WITH(read_launch(), "SLIPWAY_RANK is `-1`, expected a number");
  }
  const Variable wrong("SLIPWAY_SIZE", "1");
  CHECK_THROWS_WITH(read_launch(), "this is rank 1, of 1 ranks");
}

TEST_CASE("launch: a process that became several ranks counts them") {
  const Nobody nobody;
  const Variable share("SLIPWAY_SHARE", "3/8");
  Launch launch = read_launch();
  CHECK(launch.rank == 3);
  CHECK(launch.size == 8);
  CHECK(launch.host == "127.0.0.1");
  const Variable step("SLURM_STEP_NUM_TASKS", "2"), procid("SLURM_PROCID", "1"),
      list("SLURM_STEP_NODELIST", "a-[3-4]");
  launch = read_launch();
  CHECK(launch.rank == 11);
  CHECK(launch.size == 16);
  CHECK(launch.host == "a-3");
  const Variable wrong("SLIPWAY_SHARE", "8/8");
  CHECK_THROWS_WITH(read_launch(), "SLIPWAY_SHARE is `8/8`, expected NUMBER/OF");
}

TEST_CASE("launch: mpirun in a job counts, not the step of its daemons") {
  const Nobody nobody;
  const Variable step("SLURM_STEP_NUM_TASKS", "2"), procid("SLURM_PROCID", "1"),
      size("OMPI_COMM_WORLD_SIZE", "16"), rank("OMPI_COMM_WORLD_RANK", "9"),
      local("OMPI_COMM_WORLD_LOCAL_SIZE", "16");
  CHECK(read_launch().rank == 9);
  CHECK(read_launch().size == 16);
  CHECK_FALSE(mpirun_spans_hosts());
  const Variable part("OMPI_COMM_WORLD_LOCAL_SIZE", "8");
  CHECK(mpirun_spans_hosts());
}

TEST_CASE("launch: ranks of MPICH's mpirun find each other on one host") {
  const Nobody nobody;
  const Variable size("PMI_SIZE", "4"), rank("PMI_RANK", "2"), local("MPI_LOCALNRANKS", "4");
  CHECK(read_launch().rank == 2);
  CHECK(read_launch().size == 4);
  const Variable part("MPI_LOCALNRANKS", "2");
  CHECK_THROWS_WITH(read_launch(),
                    "MPICH's mpirun does not say where rank 0 is; use srun, Open MPI's mpirun, or "
                    "set SLIPWAY_RENDEZVOUS=HOST:PORT together with SLIPWAY_RANK and SLIPWAY_SIZE");
}

TEST_CASE("launch: rank 0 of a Slurm step knows the host of every rank") {
  const Nobody nobody;
  const Variable step("SLURM_STEP_NUM_TASKS", "5"), list("SLURM_STEP_NODELIST", "a-[09-10],b"),
      tasks("SLURM_STEP_TASKS_PER_NODE", "2(x2),1"), order("SLURM_DISTRIBUTION", nullptr);
  const auto hosts = [](const char* rank) {
    const Variable procid("SLURM_PROCID", rank);
    return read_launch().hosts;
  };
  CHECK(hosts("0") == std::vector<std::string>{"a-09", "a-09", "a-10", "a-10", "b"});
  CHECK(hosts("1").empty());
  {
    const Variable share("SLIPWAY_SHARE", "0/2");
    CHECK(hosts("0").size() == 10);
    CHECK(hosts("0")[8] == "b");
  }
  {
    const Variable cyclic("SLURM_DISTRIBUTION", "cyclic:block");
    CHECK(hosts("0") == std::vector<std::string>{"a-09", "a-10", "b", "a-09", "a-10"});
  }
  for (const char* unknown : {"plane=2", "arbitrary"}) {
    const Variable other("SLURM_DISTRIBUTION", unknown);
    CHECK(hosts("0").empty());
  }
  const Variable others("SLURM_STEP_TASKS_PER_NODE", "2(x3)");
  CHECK(hosts("0").empty());
}

TEST_CASE("slurm hosts: tasks per node are read as Slurm writes them") {
  CHECK(tasks_per_node("8(x2),4", 9) == std::vector<int>{8, 8, 4});
  for (const char* wrong : {"", "8(x", "8(x10)", "x", "-1", "8(x2", "8(x)", "5(x5),5(x5)"})
    CHECK(tasks_per_node(wrong, 9).empty());
}
