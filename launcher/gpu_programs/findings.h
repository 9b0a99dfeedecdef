// What DCGM would say about a GPU, from what NVML says.
#pragma once

#include <string>
#include <vector>

#include "launcher/gpu_programs/gpus.h"

namespace slipway::gpu_programs {

// The part of a GPU that a finding is about: a test of `dcgmi diag` and a system of `dcgmi health`
// each cover some of them.
enum class Part { software, memory, pcie, nvlink, thermal, driver };

// The numbers are those of the enumerations in DCGM's documentation, Diagnostic Errors.
struct Finding {
  Part part;
  bool fails;  // dcgmi health: Failure, not Warning
  int error, category, severity;
  std::string text;
};

constexpr int isolate = 2;  // a severity: take the GPU out of use

// Empty for a healthy GPU.
std::vector<Finding> findings_of(const Device& gpu);

}  // namespace slipway::gpu_programs
