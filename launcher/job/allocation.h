// The Slurm allocation that the launcher runs in, and the checks that it must pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::job {

struct Allocation {
  std::string job;
  int64_t restarts = 0;            // how often Slurm has requeued it
  std::vector<std::string> nodes;  // in Slurm's order
  std::string here;                // the node of the launcher
  int64_t tasks_per_node = 1;      // as srun would start them
};

// Reads the environment. Throws UsageError outside an allocation.
Allocation read_allocation();

// Throws Error unless the job has whole nodes and survives losing one. `no_kill` asserts the latter
// even if the script does not. Returns a warning if slurmctld does not answer, else "".
std::string check_allocation(const Allocation& allocation, bool no_kill);

}  // namespace slipway::job
