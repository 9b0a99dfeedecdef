// The deep checks, run on demand on a node without jobs: they take seconds to minutes.
#pragma once

#include <chrono>
#include <vector>

#include "launcher/health/cuda.h"
#include "launcher/health/runner.h"

namespace slipway::health {

// A computation and the memory of each GPU; a collective among ranks on this node; DCGM's
// diagnostics. Checks whose programs are not installed are reported as skipped. Run the families
// one after another, because they would disturb each other's measurements.
std::vector<Family> deep_families(const Context& context,
                                  std::chrono::steady_clock::time_point end);

// Compares what CUDA measured on each GPU with the policy's limits.
void check_cuda(const CudaResult& cuda, CheckRun& run);

}  // namespace slipway::health
