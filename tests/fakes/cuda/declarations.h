// The part of CUDA's interface that the stand-ins have: from the real headers where FAKE_CONTRACT
// is defined, so that a signature of ours that differs does not compile, and from here otherwise.
#pragma once

#ifdef FAKE_CONTRACT
#include <cuda.h>
#include <cuda_runtime_api.h>
#else
#include <cstddef>
enum cudaError : int { cudaSuccess = 0 };
using cudaError_t = cudaError;
enum cudaMemcpyKind : int { cudaMemcpyDefault = 4 };
enum cudaStreamCaptureMode : int { cudaStreamCaptureModeThreadLocal = 1 };
enum cudaDeviceAttr : int {
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor
};
using cudaStream_t = struct CUstream_st*;
using cudaGraph_t = struct CUgraph_st*;
using cudaGraphExec_t = struct CUgraphExec_st*;
using cudaHostFn_t = void (*)(void*);
enum CUresult : int { CUDA_SUCCESS = 0 };
using CUdevice = int;
using CUstream = struct CUstream_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
#define CUDARTAPI
#define CUDAAPI
#endif
