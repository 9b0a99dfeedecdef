// The checks, in families: each evaluates values just read, using earlier values and the policy.
#pragma once

#include <functional>
#include <string>

#include "launcher/health/context.h"
#include "launcher/health/gpus.h"
#include "launcher/health/machine.h"

namespace slipway::health {

using Doing = std::function<void(const std::string&)>;  // called before each step that may hang

void check_gpus(const Gpus& gpus, CheckRun& run);

// Network interfaces in node.json, and RDMA ports.
void check_network(const Machine& machine, CheckRun& run, const Doing& doing);

// Mounts, free space, inodes.
void check_storage(const Machine& machine, CheckRun& run, const Doing& doing);

// Memory, huge pages, clock, daemons.
void check_system(const Machine& machine, CheckRun& run);

// Kernel records since the last check: Xids, and faults of the kernel itself.
void check_kernel_log(const Machine& machine, CheckRun& run);

}  // namespace slipway::health
