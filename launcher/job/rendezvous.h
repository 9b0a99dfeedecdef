// What a task is told of its place: the variables that PyTorch, JAX and programs under Slurm read.
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

// Where rank 0 is to be met: another port for every attempt, so that nobody meets what is left of
// an earlier one; below those that Linux hands out by itself (32768 and above).
int64_t master_port(const World& world);

// What is the same for all tasks of an attempt, and what is each one's own.
Variables world_variables(const World& world);
Variables rank_variables(const World& world, int64_t node, int64_t local_rank);

}  // namespace slipway::job
