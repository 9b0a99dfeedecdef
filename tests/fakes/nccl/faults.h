// What goes wrong on demand. Each variable is a list of orders, RANK:OPERATION[:DETAIL], separated
// by commas. RANK is the rank in the world, or `*`; OPERATION counts that rank's operations from 1
// (a group of sends and receives is one), or `*`.
//
//   FAKE_NCCL_WRONG=2:3:flip    wrong data: flip (one bit), zeros, nothing (none arrives), rotate
//                               (blocks in the wrong place), late (the last block keeps what it
//                               had)
//   FAKE_NCCL_HANG=1:4          never ends, until ncclCommAbort
//   FAKE_NCCL_ERROR=1:4:6       asynchronous error 6 (ncclRemoteError); the operation never ends
//   FAKE_NCCL_REFUSE=0:2:1      the call itself returns 1
//   FAKE_NCCL_MICROSECONDS=0:*:500   takes that much longer
#pragma once

#include <optional>
#include <string>

namespace fake {

std::optional<std::string> fault(const char* variable, int rank, int64_t operation);

}  // namespace fake
