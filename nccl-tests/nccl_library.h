// The CUDA runtime and NCCL, loaded at run time: neither is needed to build the program.
//
// The functions declared here have the same signature in CUDA 11 to 13 and NCCL 2.18 to 2.28.
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
  // CUDA; each function returns 0 or an error.
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

  // NCCL; each function returns 0 or an error.
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

  int devices() const;                 // throws Error if CUDA finds no driver
  std::string device_name(int) const;  // "NVIDIA H100 80GB HBM3"
  std::string version() const;         // "NCCL 2.28.9, CUDA 13.0"
};

// Throws an Error that names the library that is missing or too old. The libraries stay loaded.
std::shared_ptr<const NcclLibrary> load_nccl();

// Whether the backend nccl can run here: NVIDIA's driver is loaded and the libraries find a GPU.
bool has_usable_gpu();

}  // namespace slipway::bandwidth
