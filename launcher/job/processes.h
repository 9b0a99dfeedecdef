// Lists processes from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace slipway::job {

struct Process {
  pid_t pid = 0, parent = 0;
  char state = 'R';  // from proc(5)
  std::string name;
  int64_t ticks = 0;  // of CPU time, with those of its ended children
};

// All processes of the machine, in any order.
std::vector<Process> all_processes();

// Those of `all` that descend from `ancestor`, without itself.
std::vector<Process> descendants_in(const std::vector<Process>& all, pid_t ancestor);

// All direct and indirect children of `ancestor`, in any order.
std::vector<Process> descendants(pid_t ancestor);

}  // namespace slipway::job
