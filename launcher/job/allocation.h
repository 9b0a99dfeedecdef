// The allocation that a launcher runs in: what Slurm says of it, and what must be so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::job {

struct Allocation {
  std::string job;
  int64_t restarts = 0;            // how often Slurm has queued it again
  std::vector<std::string> nodes;  // in Slurm's order
  std::string here;                // the node of the launcher
  int64_t tasks_per_node = 1;      // as srun would start them
};

// Of the environment. Throws UsageError when this is none.
Allocation read_allocation();

// Throws Error unless the job has whole nodes, and outlives the loss of one. `no_kill` says that it
// does although its script does not. When the controller does not answer, a warning is returned.
std::string check_allocation(const Allocation& allocation, bool no_kill);

}  // namespace slipway::job
