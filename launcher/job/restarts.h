// How often a failed program is started again.
#pragma once

#include <cstdint>
#include <string>

#include "launcher/job/blame.h"

namespace slipway::job {

class Restarts {
 public:
  explicit Restarts(int64_t most) : most_(most) {}  // in a row without progress

  // Why there is no other attempt after one with this verdict, in a line for people; empty when
  // there is one. What a node is to blame for costs the program nothing.
  std::string why_none(const Verdict& verdict, bool progressed);

 private:
  int64_t most_;
  int64_t without_progress_ = 0;
};

}  // namespace slipway::job
