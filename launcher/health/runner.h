// Runs the checks: each family in a child process, which is killed if it takes too long.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "launcher/health/checks.h"

namespace slipway::health {

// A family of checks, run in its own process. An exception is a failure of the check, not a
// finding.
struct Family {
  std::string name;   // "gpu"
  std::string hangs;  // the finding if it does not end: "driver-hang"
  std::function<void(CheckRun&, const Doing&)> check;
};

// Runs the families in parallel and combines their results. A family that has not ended after
// `limit` is killed, and a finding says during which step it hung; a process that cannot be killed,
// because it is stuck in a driver, is left alone. If a family fails, its checks are reported as
// skipped.
CheckResults run_families(const std::vector<Family>& families, const Context& context,
                          std::chrono::milliseconds limit);

// The families for a node and a stage.
std::vector<Family> families_for(const Context& context, const Machine& machine);

}  // namespace slipway::health
