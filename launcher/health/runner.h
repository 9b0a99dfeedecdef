// Making the checks: each family in a process of its own, which is killed when it takes too long.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "launcher/health/checks.h"

namespace slipway::health {

// What a family does in its process. What it throws is a failure of ours, and no finding.
struct Family {
  std::string name;   // "gpu"
  std::string hangs;  // the finding when it does not end: "driver-hang"
  std::function<void(Looking&, const Doing&)> look;
};

// Runs the families at the same time and adds up what they have seen. A family that has not ended
// `limit` after the start is killed, and its finding says at what it hung; a process that cannot be
// killed, because it is stuck in a driver, is left to the kernel. What a family that fails was
// about is among the skipped.
Look run_families(const std::vector<Family>& families, const Context& context,
                  std::chrono::milliseconds limit);

// The families that a node and a stage have.
std::vector<Family> families_for(const Context& context, const Machine& machine);

}  // namespace slipway::health
