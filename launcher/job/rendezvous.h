// The variables that tell tasks their rank and how to find each other, for PyTorch, JAX and
// programs that read Slurm's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace slipway::job {

using Variables = std::map<std::string, std::string>;

struct World {
  std::string job;
  std::vector<std::string> nodes;  // in the order of their ranks
  int64_t tasks_per_node = 1;
  int64_t restarts = 0;  // attempts before this one
  int64_t size() const { return static_cast<int64_t>(nodes.size()) * tasks_per_node; }
};

// The port of rank 0. Each attempt uses another one, so that nothing connects to the remains of an
// earlier attempt; all are below Linux's ephemeral ports (32768 and above).
int64_t master_port(const World& world);

// Variables for all tasks of an attempt, and for each one.
Variables world_variables(const World& world);
Variables rank_variables(const World& world, int64_t node, int64_t local_rank);

}  // namespace slipway::job
