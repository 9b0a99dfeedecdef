// Receives the signals meant for the launcher or its tasks: those that end a job, SIGUSR1, SIGUSR2.
#pragma once

#include <vector>

#include "common/fd.h"

namespace slipway::job {

class LauncherSignals {
 public:
  LauncherSignals();                    // blocks them in this thread and those that it starts
  int fd() const { return fd_.get(); }  // readable if a signal arrived

  // The numbers of the signals that arrived, in order.
  std::vector<int> take();

 private:
  Fd fd_;
};

}  // namespace slipway::job
