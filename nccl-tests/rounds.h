// What pairs of ranks exchange in the collectives that consist of sends and receives: alltoall,
// alltoallv, gather, hypercube, scatter and sendrecv.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nccl-tests/backend.h"

namespace slipway::bandwidth {

// With one peer, which may be the rank itself.
struct Exchange {
  int peer = 0;
  const std::byte* from = nullptr;
  int64_t sent_bytes = 0;
  std::byte* to = nullptr;
  int64_t received_bytes = 0;
};

// What happens at the same time; only hypercube has several rounds.
using Exchanges = std::vector<Exchange>;
std::vector<Exchanges> rounds_of(const Operation& operation, int rank, int ranks);

}  // namespace slipway::bandwidth
