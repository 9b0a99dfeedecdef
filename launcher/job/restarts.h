// Decides whether a failed program is restarted.
#pragma once

#include <cstdint>
#include <string>

#include "launcher/job/blame.h"

namespace slipway::job {

class Restarts {
 public:
  explicit Restarts(int64_t most) : most_(most) {}  // restarts in a row without progress

  // Why there is no other attempt after this verdict, as a line for people; empty to go on.
  // Failures that a node is to blame for do not count.
  std::string reason_to_stop(const Verdict& verdict, bool progressed);

 private:
  int64_t most_;
  int64_t without_progress_ = 0;
};

}  // namespace slipway::job
