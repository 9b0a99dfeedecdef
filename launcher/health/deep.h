// The deep checks, made on demand on a node without jobs: they take seconds to minutes.
#pragma once

#include <chrono>
#include <vector>

#include "launcher/health/cuda.h"
#include "launcher/health/runner.h"

namespace slipway::health {

// A computation and the memory of each GPU; a collective among ranks of this node; dcgmi's
// diagnostic. What is not installed is skipped, which is said. One after the other: they would
// measure each other.
std::vector<Family> deep_families(const Context& context,
                                  std::chrono::steady_clock::time_point end);

// What CUDA measured of each GPU, against the limits of the policy.
void check_cuda(const CudaResult& cuda, Looking& looking);

}  // namespace slipway::health
