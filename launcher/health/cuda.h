// A computation and memory copies on each GPU, through CUDA's driver, which is loaded at run time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace slipway::health {

struct CudaGpu {
  int index = 0;
  std::string failed;        // the call that failed, and CUDA's number for why; empty when none did
  bool right = false;        // what it computed
  double copy_gb_per_s = 0;  // within its memory, bytes read and written; GB = 1e9 bytes
  double host_gb_per_s = 0;  // from pinned memory of the host
};

struct CudaResult {
  std::string missing;  // why there is nothing: no libcuda.so.1, no device
  std::vector<CudaGpu> gpus;
};

CudaResult run_cuda(const std::function<void(const std::string&)>& doing);

}  // namespace slipway::health
