// A communicator of the stand-in, and what a group collects.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "tests/fakes/nccl/declarations.h"
#include "tests/fakes/nccl/profiler.h"
#include "tests/fakes/nccl/world.h"

struct ncclComm {
  std::shared_ptr<fake::World> world;
  std::shared_ptr<fake::Profiled> profiled;  // empty without a profiler plugin
  int splits = 0;
  std::map<int, std::vector<std::byte>> scalars;  // of operations made by RedOpCreatePreMulSum
  std::set<void*> handles;                        // of registered buffers
};

namespace fake {

// Queues an operation, or adds it to the group that is open. `refused` is the call that is made.
ncclResult_t submit(ncclComm_t comm, const char* call, const Operation& operation,
                    cudaStream_t stream);
ncclResult_t submit(ncclComm_t comm, const char* call, const Message& message, cudaStream_t stream);
// Runs at once, or with the others when the group ends: communicators are made together.
ncclResult_t start_or_group(std::function<ncclResult_t()> make);

// WARN, and ncclInvalidArgument.
ncclResult_t invalid(const char* call, const std::string& why);

}  // namespace fake
