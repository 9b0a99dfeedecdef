// CUDA's runtime and NCCL, loaded while the program runs: nothing of them is needed to build it.
//
// The declarations here are those of CUDA 11 to 13 and of NCCL 2.18 to 2.28, for what is called.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace slipway::bandwidth {

struct NcclUniqueId {
  char bytes[128];
};
using NcclComm = struct ncclComm*;
using CudaStream = struct CUstream_st*;

// Data types and reductions are numbered as Element and Reduction are.
struct NcclLibrary {
  // Of CUDA; each returns 0 or an error.
  int (*cudaGetDeviceCount)(int*) = nullptr;
  int (*cudaSetDevice)(int) = nullptr;
  int (*cudaDeviceGetPCIBusId)(char*, int, int) = nullptr;
  int (*cudaMemGetInfo)(size_t*, size_t*) = nullptr;
  int (*cudaMalloc)(void**, size_t) = nullptr;
  int (*cudaFree)(void*) = nullptr;
  int (*cudaMemset)(void*, int, size_t) = nullptr;
  int (*cudaMemcpy)(void*, const void*, size_t, int) = nullptr;
  int (*cudaStreamCreate)(CudaStream*) = nullptr;
  int (*cudaStreamSynchronize)(CudaStream) = nullptr;
  int (*cudaStreamDestroy)(CudaStream) = nullptr;
  int (*cudaRuntimeGetVersion)(int*) = nullptr;
  const char* (*cudaGetErrorString)(int) = nullptr;

  // Of NCCL; likewise.
  int (*ncclGetVersion)(int*) = nullptr;
  int (*ncclGetUniqueId)(NcclUniqueId*) = nullptr;
  int (*ncclCommInitRank)(NcclComm*, int, NcclUniqueId, int) = nullptr;
  int (*ncclCommSplit)(NcclComm, int, int, NcclComm*, void*) = nullptr;
  int (*ncclCommDestroy)(NcclComm) = nullptr;
  int (*ncclCommGetAsyncError)(NcclComm, int*) = nullptr;
  const char* (*ncclGetErrorString)(int) = nullptr;
  int (*ncclGroupStart)() = nullptr;
  int (*ncclGroupEnd)() = nullptr;
  int (*ncclSend)(const void*, size_t, int, int, NcclComm, CudaStream) = nullptr;
  int (*ncclRecv)(void*, size_t, int, int, NcclComm, CudaStream) = nullptr;
  int (*ncclAllGather)(const void*, void*, size_t, int, NcclComm, CudaStream) = nullptr;
  int (*ncclAllReduce)(const void*, void*, size_t, int, int, NcclComm, CudaStream) = nullptr;
  int (*ncclReduceScatter)(const void*, void*, size_t, int, int, NcclComm, CudaStream) = nullptr;
  int (*ncclBroadcast)(const void*, void*, size_t, int, int, NcclComm, CudaStream) = nullptr;
  int (*ncclReduce)(const void*, void*, size_t, int, int, int, NcclComm, CudaStream) = nullptr;

  // Throw Error with the library's own text unless `status` is 0.
  void check_cuda(int status, const char* what) const;
  void check_nccl(int status, const char* what) const;

  int devices() const;                 // throws Error where CUDA finds no driver
  std::string device_name(int) const;  // "NVIDIA H100 80GB HBM3"
  std::string version() const;         // "NCCL 2.28.9, CUDA 13.0"
};

// Throws Error that says which library is missing, or too old. They stay loaded.
std::shared_ptr<const NcclLibrary> load_nccl();

// Whether the backend nccl could run here: the kernel has NVIDIA's driver, and the libraries find a
// GPU.
bool has_usable_gpu();

}  // namespace slipway::bandwidth
