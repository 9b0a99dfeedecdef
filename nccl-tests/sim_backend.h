// The backend with virtual time: operations take the time that a simulated cluster would need.
#pragma once

#include <memory>
#include <vector>

#include "nccl-tests/backend.h"
#include "nccl-tests/sim_world.h"

namespace slipway::bandwidth {

// One process acts for all ranks and reports as rank 0. No data moves. Throws Error if a node is
// dead.
std::unique_ptr<Backend> make_sim_backend(SimWorld world);

// The same on some of the nodes; `stream` makes its noise independent of that of others.
std::unique_ptr<Backend> make_sim_backend(SimWorld world, const std::vector<int>& nodes,
                                          uint64_t stream);

}  // namespace slipway::bandwidth
