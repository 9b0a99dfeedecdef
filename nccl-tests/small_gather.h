// all_gather of small messages in the backend tcp: Bruck's algorithm.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "nccl-tests/schedule.h"

namespace slipway::bandwidth {

// Whether Bruck's algorithm is faster than a ring: it takes a step for each doubling of the ranks
// instead of one for each rank. Large messages go around the ring, which forwards data while it
// arrives and needs no copy.
bool is_small_gather(const Operation& operation, int ranks);

// The ranks that this one exchanges data with, in order: those that it sends to and receives from,
// in turn. They are those of the barrier.
std::vector<int> gather_partners_of(const Place& place);

// Gathers the blocks of all ranks into `receive`. `scratch` has room for all of them. `socket_to`
// gives the connection to another rank. Throws Error if one has gone.
void gather_small(const Operation& operation, const Place& place, std::span<std::byte> scratch,
                  const std::function<int(int rank)>& socket_to);

}  // namespace slipway::bandwidth
