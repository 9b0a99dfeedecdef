// The CUDA runtime and driver, loaded at run time: neither is needed to build the program.
//
// The functions declared here have the same signature in CUDA 11 to 13.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace slipway::bandwidth {

using CudaStream = struct CUstream_st*;
using CudaGraph = struct CUgraph_st*;
using CudaGraphExec = struct CUgraphExec_st*;
using CudaModule = struct CUmod_st*;
using CudaFunction = struct CUfunc_st*;
using CudaEvent = struct CUevent_st*;

// Numbers of CUDA's headers.
inline constexpr int cuda_insufficient_driver = 35;   // the runtime needs a newer driver
inline constexpr int cuda_not_ready = 600;            // of cudaStreamQuery: there is work left
inline constexpr int cuda_copy_in_any_direction = 4;  // cudaMemcpyDefault
// cudaStreamNonBlocking: not ordered with the null stream
inline constexpr unsigned cuda_non_blocking_stream = 1;
inline constexpr int cuda_capture_of_this_thread = 1;  // cudaStreamCaptureModeThreadLocal
inline constexpr int cuda_major_number = 75, cuda_minor_number = 76;  // of cudaDeviceAttr

struct CudaLibrary {
  // The runtime; each function returns 0 or an error.
  int (*cudaGetDeviceCount)(int*) = nullptr;
  int (*cudaSetDevice)(int) = nullptr;
  int (*cudaDeviceGetPCIBusId)(char*, int, int) = nullptr;
  int (*cudaDeviceGetAttribute)(int*, int, int) = nullptr;
  int (*cudaMemGetInfo)(size_t*, size_t*) = nullptr;
  int (*cudaMalloc)(void**, size_t) = nullptr;
  int (*cudaFree)(void*) = nullptr;
  int (*cudaMemset)(void*, int, size_t) = nullptr;
  int (*cudaMemcpyAsync)(void*, const void*, size_t, int, CudaStream) = nullptr;
  int (*cudaStreamCreateWithFlags)(CudaStream*, unsigned) = nullptr;
  int (*cudaStreamQuery)(CudaStream) = nullptr;
  int (*cudaStreamSynchronize)(CudaStream) = nullptr;
  int (*cudaStreamDestroy)(CudaStream) = nullptr;
  int (*cudaStreamBeginCapture)(CudaStream, int) = nullptr;
  int (*cudaStreamEndCapture)(CudaStream, CudaGraph*) = nullptr;
  int (*cudaGraphInstantiateWithFlags)(CudaGraphExec*, CudaGraph, unsigned long long) = nullptr;
  int (*cudaGraphLaunch)(CudaGraphExec, CudaStream) = nullptr;
  int (*cudaGraphDestroy)(CudaGraph) = nullptr;
  int (*cudaGraphExecDestroy)(CudaGraphExec) = nullptr;
  int (*cudaRuntimeGetVersion)(int*) = nullptr;
  int (*cudaDriverGetVersion)(int*) = nullptr;
  const char* (*cudaGetErrorString)(int) = nullptr;

  // The driver, for kernels and for what the runtime says differently in each release.
  int (*cuDeviceGetName)(char*, int, int) = nullptr;
  int (*cuModuleLoadData)(CudaModule*, const void*) = nullptr;
  int (*cuModuleGetFunction)(CudaFunction*, CudaModule, const char*) = nullptr;
  int (*cuModuleUnload)(CudaModule) = nullptr;
  int (*cuLaunchKernel)(CudaFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, CudaStream, void**, void**) = nullptr;
  int (*cuEventCreate)(CudaEvent*, unsigned) = nullptr;
  int (*cuEventRecord)(CudaEvent, CudaStream) = nullptr;
  int (*cuEventElapsedTime)(float*, CudaEvent, CudaEvent) = nullptr;
  int (*cuEventDestroy_v2)(CudaEvent) = nullptr;
  int (*cuGetErrorString)(int, const char**) = nullptr;

  // Throw Error with the library's own text unless `status` is 0.
  void check(int status, const char* what) const;
  void check_driver(int status, const char* what) const;

  int devices() const;                 // throws Error if there is none
  std::string device_name(int) const;  // "NVIDIA H100 80GB HBM3"
  int capability(int device) const;    // 90 for compute capability 9.0
  int version() const;                 // of the runtime: 13000
};

// Throws an Error that says what is missing or too old. The libraries stay loaded.
std::shared_ptr<const CudaLibrary> load_cuda();

// A library by the first of its names that can be loaded: from the loader's paths, then from the
// usual folder of CUDA. nullptr if there is none.
void* open_library(const char* name);

// What this node has, asked of the driver itself.
enum class Gpus {
  none,      // no driver, or a driver without a GPU that this process may use
  usable,    // as far as the driver can tell
  unusable,  // there is a driver, and it cannot start
};
struct GpuSearch {
  Gpus found = Gpus::none;
  std::string problem = {};  // of `unusable`
};
GpuSearch find_gpus();

}  // namespace slipway::bandwidth
