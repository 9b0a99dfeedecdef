// Lists processes from /proc.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace slipway::job {

struct Process {
  pid_t pid = 0, parent = 0;
  char state = 'R';  // from proc(5)
  std::string name;
};

// All direct and indirect children of `ancestor`, in any order.
std::vector<Process> descendants(pid_t ancestor);

}  // namespace slipway::job
