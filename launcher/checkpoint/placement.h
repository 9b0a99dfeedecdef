// Chooses the nodes that hold copies of each other's checkpoints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace slipway::checkpoint {

// `blocks` has the block of the network's topology of each node. The copies of node i are on nodes
// (i + shift) modulo the number of nodes, for each shift: so every node holds equally many. Chooses
// shifts that put a node and its copies into different blocks as far as possible. Returns fewer
// than `copies` if there are too few nodes.
std::vector<size_t> shifts_of_copies(const std::vector<std::string>& blocks, size_t copies);

}  // namespace slipway::checkpoint
