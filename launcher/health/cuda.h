// Runs a computation and memory copies on each GPU, and checks what they did. Loads the CUDA driver
// library at run time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace slipway::health {

// What each GPU computes, as PTX.
extern const char* const gpu_kernel;

struct CudaGpu {
  int index = 0;
  std::string failed;        // the call that failed, with its CUDA error; empty if none
  bool right = false;        // its computation was correct
  double copy_gb_per_s = 0;  // within GPU memory, read plus written; GB = 1e9 bytes
  double host_gb_per_s = 0;  // from pinned host memory
  double to_host_gb_per_s = 0;
  // Which copies arrived with other data than was sent: "from the host or to it", "within its
  // memory"; empty if none did.
  std::string wrong_copy = {};
};

struct CudaResult {
  std::string missing;  // why there are no results: no libcuda.so.1, no device
  std::vector<CudaGpu> gpus;
};

CudaResult run_cuda(const std::function<void(const std::string&)>& doing);

}  // namespace slipway::health
