// What the kernel has said while an attempt ran, as far as a user may read it.
#pragma once

#include <string>
#include <vector>

#include "common/fd.h"

namespace slipway::job {

class KernelLog {
 public:
  // Without the right to read it, it is empty.
  KernelLog();

  // Forgets what has been said until now.
  void skip();
  // Lines about GPUs, memory and hardware that came since; the last ones when they are many.
  std::vector<std::string> lines();

 private:
  Fd fd_;
};

// Whether a line is about what may have ended a task: an Xid, a killer for want of memory, a
// machine check, a device that has gone.
bool matters(const std::string& line);

// The number of an Xid in a line of NVIDIA's driver ("NVRM: Xid (PCI:0000:3b:00): 79, …"); 0: none.
int xid_of(const std::string& line);

// Whether NVIDIA's Xid catalogue asks for more than a new start of the program: a reset of the GPU,
// a reboot, a technician.
bool is_hardware_xid(int number);

}  // namespace slipway::job
