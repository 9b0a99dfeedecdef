// Processes as /proc has them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace slipway::job {

struct Process {
  pid_t pid = 0, parent = 0;
  char state = 'R';  // of proc(5)
  std::string name;
};

// Those that `ancestor` has started, and those that they have, in any order.
std::vector<Process> descendants(pid_t ancestor);

}  // namespace slipway::job
