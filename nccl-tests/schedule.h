// What each rank sends and receives, step by step, in the rings and chains of the backend tcp.
#pragma once

#include <cstddef>
#include <span>

#include "nccl-tests/backend.h"
#include "nccl-tests/flow.h"

namespace slipway::bandwidth {

struct Place {
  int rank = 0;
  int size = 1;
};

// Of all_gather, all_reduce, broadcast, reduce and reduce_scatter on two ranks or more; without its
// sockets. `scratch` has at least scratch_bytes(), and, as the operation's buffers do, stays where
// it is while the flow runs.
Flow schedule(const Operation& operation, const Place& place, std::span<std::byte> scratch);
size_t scratch_bytes(const Operation& operation);

// What needs no other rank: the own share, from `send` to `receive`.
void copy_own_share(const Operation& operation, const Place& place);

}  // namespace slipway::bandwidth
