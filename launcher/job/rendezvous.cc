// Sets the variables that tell tasks their rank and how to find each other.
#include "launcher/job/rendezvous.h"

#include <fmt/core.h>

#include <cstdlib>

#include "common/text.h"

namespace slipway::job {

int64_t master_port(const World& world) {
  constexpr int64_t first = 20000, ports = 10000;
  const int64_t job = std::strtoll(world.job.c_str(), nullptr, 10);
  return first + (job * 101 + world.restarts) % ports;
}

Variables world_variables(const World& world) {
  const std::string nodes = std::to_string(world.nodes.size());
  const std::string tasks = std::to_string(world.size());
  const std::string per_node = std::to_string(world.tasks_per_node);
  const std::string restarts = std::to_string(world.restarts);
  const std::string port = std::to_string(master_port(world));
  // Plain lists: JAX takes the first name for the node of rank 0, and Slurm's bracket form is
  // sorted.
  const std::string names = join(world.nodes, ",");
  const std::string each = fmt::format("{}(x{})", per_node, nodes);
  return {
      // PyTorch, as torchrun sets them
      {"MASTER_ADDR", world.nodes.front()},
      {"MASTER_PORT", port},
      {"WORLD_SIZE", tasks},
      {"LOCAL_WORLD_SIZE", per_node},
      {"TORCHELASTIC_RESTART_COUNT", restarts},
      {"TORCHELASTIC_RUN_ID", world.job},
      {"SLIPWAY_RESTART_COUNT", restarts},
      // JAX
      {"JAX_COORDINATOR_ADDRESS", fmt::format("{}:{}", world.nodes.front(), port)},
      // a Slurm step, as srun sets them
      {"SLURM_NTASKS", tasks},
      {"SLURM_NPROCS", tasks},
      {"SLURM_STEP_NUM_TASKS", tasks},
      {"SLURM_NTASKS_PER_NODE", per_node},
      {"SLURM_TASKS_PER_NODE", each},
      {"SLURM_STEP_TASKS_PER_NODE", each},
      {"SLURM_NNODES", nodes},
      {"SLURM_JOB_NUM_NODES", nodes},
      {"SLURM_STEP_NUM_NODES", nodes},
      {"SLURM_NODELIST", names},
      {"SLURM_JOB_NODELIST", names},
      {"SLURM_STEP_NODELIST", names},
  };
}

Variables rank_variables(const World& world, int64_t node, int64_t local_rank) {
  const std::string rank = std::to_string(node * world.tasks_per_node + local_rank);
  const std::string local = std::to_string(local_rank), of_node = std::to_string(node);
  return {{"RANK", rank},           {"LOCAL_RANK", local},  {"NODE_RANK", of_node},
          {"GROUP_RANK", of_node},  {"SLURM_PROCID", rank}, {"SLURM_LOCALID", local},
          {"SLURM_NODEID", of_node}};
}

}  // namespace slipway::job
