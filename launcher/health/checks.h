// The checks, by families: each is a function of what was read, and of what is known already.
#pragma once

#include <functional>
#include <string>

#include "launcher/health/context.h"
#include "launcher/health/gpus.h"
#include "launcher/health/machine.h"

namespace slipway::health {

using Doing = std::function<void(const std::string&)>;  // told before each step that may hang

void check_gpus(const Gpus& gpus, Looking& looking);

// Interfaces of node.json, and RDMA ports.
void check_network(const Machine& machine, Looking& looking, const Doing& doing);

// Mounts, free space, inodes.
void check_storage(const Machine& machine, Looking& looking, const Doing& doing);

// Memory, huge pages, clock, daemons.
void check_system(const Machine& machine, Looking& looking);

// What the kernel has said since the last look: Xids, and faults of its own.
void check_kernel_log(const Machine& machine, Looking& looking);

}  // namespace slipway::health
