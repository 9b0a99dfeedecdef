// What a process measures for the levels below pairs.
#pragma once

#include <string>
#include <vector>

#include "nccl-tests/backend.h"
#include "nccl-tests/scan.h"
#include "nccl-tests/scan_levels.h"

namespace slipway::bandwidth {

// One direction of a pair: GB/s of a broadcast from its rank `from`.
double measure_one_way(Backend& pair, const PairTest& test, int from);

// Inside this node: its loopback interface, its memory, and each of its GPUs. What the node does
// not have is not asked.
std::vector<NodeLevel> measure_inside(const PairTest& test);

// The IPv4 interfaces of this node that are up, except loopback:
// "enp0s12=10.0.0.7,enp6s0=10.1.0.7".
std::string interfaces_of_this_node();

}  // namespace slipway::bandwidth
