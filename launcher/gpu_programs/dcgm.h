// What dcgmi prints, one function for each of its commands.
#pragma once

#include <string>
#include <vector>

#include "launcher/gpu_programs/findings.h"

namespace slipway::gpu_programs {

// The version whose output the texts follow.
constexpr const char* dcgm_version = "4.2.3";

std::string discovery(const std::vector<Device>& gpus);  // discovery -l

struct Diagnosis {
  std::string output;
  int status;  // 0, or what a script sees: 226 for a failure, 205 if a GPU should be isolated
};

// diag -r LEVEL, 1 to 4. No load is put on the GPUs: tests judge what NVML says.
Diagnosis diagnose(const std::vector<Device>& gpus, int level, bool json);

// health -c
std::string health_report(const std::vector<Device>& gpus, bool json);

std::string nvlink_status(const std::vector<Device>& gpus);  // nvlink -s

}  // namespace slipway::gpu_programs
