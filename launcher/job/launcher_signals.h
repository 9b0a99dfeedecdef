// The signals that a launcher hears: those that end a job, and those that are for its tasks.
#pragma once

#include <vector>

#include "common/fd.h"

namespace slipway::job {

class LauncherSignals {
 public:
  LauncherSignals();                    // blocks them for this thread and those that it starts
  int fd() const { return fd_.get(); }  // readable when there is one

  // The numbers of those that have come, in their order.
  std::vector<int> take();

 private:
  Fd fd_;
};

}  // namespace slipway::job
