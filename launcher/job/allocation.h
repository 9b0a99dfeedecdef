// The Slurm allocation that the launcher runs in, and the checks that it must pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::job {

struct Allocation {
  std::string job;                 // its number
  std::string label;               // as squeue shows it: "12", or "9_3" in an array
  int64_t restarts = 0;            // how often Slurm has requeued it
  std::vector<std::string> nodes;  // in Slurm's order
  std::string here;                // the node of the launcher
  int64_t tasks_per_node = 1;      // as srun would start them
};

// The job's label, from the environment of anything that runs in it.
std::string job_label();

// Says which nodes are left out, in a heterogeneous job; empty in others.
std::string heterogeneity_note();

// Reads the environment. Throws UsageError outside an allocation.
Allocation read_allocation();

// Throws Error unless the job has whole nodes and survives losing one. `no_kill` asserts the latter
// even if the script does not. Returns a warning if slurmctld does not answer, else "".
std::string check_allocation(const Allocation& allocation, bool no_kill);

}  // namespace slipway::job
