// The backend of virtual time: operations take the time that a thought-of cluster would need.
#pragma once

#include <memory>
#include <vector>

#include "nccl-tests/backend.h"
#include "nccl-tests/sim_world.h"

namespace slipway::bandwidth {

// One process is all ranks, and speaks as rank 0. No data moves. Throws Error when a node is dead.
std::unique_ptr<Backend> make_sim_backend(SimWorld world);

// The same on some of its nodes; `stream` sets its noise apart from that of others.
std::unique_ptr<Backend> make_sim_backend(SimWorld world, const std::vector<int>& nodes,
                                          uint64_t stream);

}  // namespace slipway::bandwidth
