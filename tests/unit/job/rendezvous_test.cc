#include "launcher/job/rendezvous.h"

#include "tests/unit/catch.h"

using namespace slipway::job;

namespace {

const World two_nodes = {"123", {"b-1", "a-7"}, 4, 2};

}  // namespace

TEST_CASE("rendezvous: variables for all tasks") {
  const Variables all = world_variables(two_nodes);
  CHECK(all.at("MASTER_ADDR") == "b-1");
  CHECK(all.at("MASTER_PORT") == std::to_string(master_port(two_nodes)));
  CHECK(all.at("WORLD_SIZE") == "8");
  CHECK(all.at("LOCAL_WORLD_SIZE") == "4");
  CHECK(all.at("TORCHELASTIC_RESTART_COUNT") == "2");
  CHECK(all.at("SLURM_NTASKS") == "8");
  CHECK(all.at("SLURM_TASKS_PER_NODE") == "4(x2)");
  CHECK(all.at("SLURM_STEP_NODELIST") == "b-1,a-7");  // JAX meets at the first
}

TEST_CASE("rendezvous: variables for each task") {
  const Variables own = rank_variables(two_nodes, 1, 2);
  CHECK(own.at("RANK") == "6");
  CHECK(own.at("LOCAL_RANK") == "2");
  CHECK(own.at("NODE_RANK") == "1");
  CHECK(own.at("SLURM_PROCID") == "6");
  CHECK(own.at("SLURM_LOCALID") == "2");
}

TEST_CASE("rendezvous: every attempt has another port, below Linux's own range") {
  World world = two_nodes;
  const int64_t port = master_port(world);
  world.restarts = 3;
  CHECK(master_port(world) != port);
  for (const char* job : {"1", "99999", "4294967294"}) {
    world.job = job;
    CHECK(master_port(world) >= 20000);
    CHECK(master_port(world) < 30000);
  }
}
