// What a process measures for the levels below pairs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nccl-tests/backend.h"
#include "nccl-tests/scan.h"
#include "nccl-tests/scan_levels.h"

namespace slipway::bandwidth {

// One direction of a pair: GB/s of a broadcast from its rank `from`.
double measure_one_way(Backend& pair, const PairTest& test, int from);

// All ranks: busbw of an all_reduce, in GB/s.
double measure_together(Backend& ranks, const PairTest& test);

// Inside this node: its loopback interface, its memory, and each of its GPUs. What the node does
// not have is not asked.
std::vector<NodeLevel> measure_inside(const PairTest& test);

// The IPv4 interfaces of this node that are up, except loopback:
// "enp0s12=10.0.0.7,enp6s0=10.1.0.7".
std::string interfaces_of_this_node();

// What a node reaches, as measured with a healthy partner.
using ExamineNode = std::function<std::vector<NodeLevel>(int node, int partner)>;
// In a simulation: what the node sends, and what it receives.
ExamineNode levels_on_sim(const SimWorld& world, PairTest test);

// Examines the nodes that the scan names, one after another, and two healthy ones to compare with.
ExaminedNodes examine_named(const std::vector<ScanNode>& nodes,
                            const std::vector<PairResult>& results, const ScanSettings& settings,
                            const ExamineNode& examine);

}  // namespace slipway::bandwidth
