// all_reduce of small messages in the backend tcp: recursive doubling.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "nccl-tests/schedule.h"

namespace slipway::bandwidth {

// Whether recursive doubling is faster than a ring: it takes a step for each doubling of the ranks
// instead of two for each rank, but moves the whole message in each.
bool is_small_reduce(const Operation& operation, int ranks);

// The ranks that this one exchanges data with, in order.
std::vector<int> partners_of(const Place& place);

// Reduces into `receive` on every rank, without the division of an average. `arrival` has room for
// the message. `socket_to` gives the connection to another rank. Throws Error if one has gone.
void reduce_small(const Operation& operation, const Place& place, std::span<std::byte> arrival,
                  const std::function<int(int rank)>& socket_to);

}  // namespace slipway::bandwidth
