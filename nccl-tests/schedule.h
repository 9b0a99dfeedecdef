// The steps that each rank sends and receives in the rings and chains of the backend tcp.
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

// The flow of an all_gather, all_reduce, broadcast, reduce or reduce_scatter on at least two ranks,
// without its sockets. `scratch` has at least scratch_bytes(). It and the operation's buffers must
// stay valid while the flow runs.
Flow schedule(const Operation& operation, const Place& place, std::span<std::byte> scratch);
size_t scratch_bytes(const Operation& operation);

// Copies this rank's own share from `send` to `receive`, which needs no other rank.
void copy_own_share(const Operation& operation, const Place& place);

}  // namespace slipway::bandwidth
