// Buffers of GPU memory, registered with a communicator on demand.
#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "nccl-tests/nccl_backend.h"
#include "nccl-tests/nccl_library.h"

namespace slipway::bandwidth {

class NcclMemory {
 public:
  NcclMemory(std::shared_ptr<const NcclLibrary> library, NcclSettings::Registration registration)
      : library_(std::move(library)), registration_(registration) {}

  // Allocates as nccl-tests does: with ncclMemAlloc where NCCL has it, since NCCL can use such
  // memory in more ways. Collective if it is registered as symmetric.
  std::byte* allocate(size_t bytes, NcclComm comm);
  void release(std::byte* memory, NcclComm comm);

 private:
  void enroll(void* memory, size_t bytes, NcclComm comm);

  std::shared_ptr<const NcclLibrary> library_;
  NcclSettings::Registration registration_;
  std::map<void*, void*> handles_;  // by buffer
};

// Throws Error if this NCCL cannot register buffers as asked.
void require_registration(const NcclLibrary& library, NcclSettings::Registration registration);

}  // namespace slipway::bandwidth
