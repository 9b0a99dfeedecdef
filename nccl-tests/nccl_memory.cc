// Buffers of GPU memory.
#include "nccl-tests/nccl_memory.h"

#include <algorithm>

#include <fmt/core.h>

#include "common/error.h"

namespace slipway::bandwidth {
namespace {

using Registration = NcclSettings::Registration;

}  // namespace

void require_registration(const NcclLibrary& library, Registration registration) {
  if (registration == Registration::local && library.ncclCommRegister == nullptr)
    throw Error(fmt::format("--local_register 1 needs NCCL 2.19; this is {}", library.version()));
  if (registration == Registration::symmetric && library.ncclCommWindowRegister == nullptr)
    throw Error(fmt::format("--local_register 2 needs NCCL 2.27; this is {}", library.version()));
}

std::byte* NcclMemory::allocate(size_t bytes, NcclComm comm) {
  const CudaLibrary& cuda = *library_->cuda;
  void* memory = nullptr;
  bytes = (std::max<size_t>(bytes, 1) + window_granule - 1) / window_granule * window_granule;
  if (library_->ncclMemAlloc != nullptr) {
    library_->check(library_->ncclMemAlloc(&memory, bytes), "ncclMemAlloc");
  } else {
    cuda.check(cuda.cudaMalloc(&memory, bytes), "cudaMalloc");
  }
  cuda.check(cuda.cudaMemset(memory, 0, bytes), "cudaMemset");
  enroll(memory, bytes, comm);
  return static_cast<std::byte*>(memory);
}

void NcclMemory::enroll(void* memory, size_t bytes, NcclComm comm) {
  if (registration_ == Registration::none) return;
  void* handle = nullptr;
  if (registration_ == Registration::symmetric) {
    library_->check(
        library_->ncclCommWindowRegister(comm, memory, bytes, &handle, symmetric_window),
        "ncclCommWindowRegister");
  } else {
    library_->check(library_->ncclCommRegister(comm, memory, bytes, &handle), "ncclCommRegister");
  }
  handles_[memory] = handle;
}

void NcclMemory::release(std::byte* memory, NcclComm comm) {
  const auto handle = handles_.find(memory);
  if (handle != handles_.end() && comm != nullptr) {
    (void)(registration_ == Registration::symmetric
               ? library_->ncclCommWindowDeregister(comm, handle->second)
               : library_->ncclCommDeregister(comm, handle->second));
    handles_.erase(handle);
  }
  if (library_->ncclMemFree != nullptr)
    library_->ncclMemFree(memory);
  else
    library_->cuda->cudaFree(memory);
}

}  // namespace slipway::bandwidth
