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
using CUcontext = struct CUctx_st*;
using CUevent = struct CUevent_st*;
using CUdeviceptr = unsigned long long;
enum CUdevice_attribute : int { CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16 };
// The names with which programs find them; NVIDIA's header renames them, too.
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemFree cuMemFree_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#define cuMemcpyDtoH cuMemcpyDtoH_v2
#define cuMemcpyDtoD cuMemcpyDtoD_v2
#define cuMemsetD8 cuMemsetD8_v2
#define cuEventDestroy cuEventDestroy_v2
#define CUDARTAPI
#define CUDAAPI
#endif
