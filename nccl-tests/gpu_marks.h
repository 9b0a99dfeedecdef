// Marks between the operations of a stream: moments by the GPU's own clock (CUDA events). Nothing
// waits for them, so that operations follow each other as they would without.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "nccl-tests/cuda_library.h"

namespace slipway::bandwidth {

class GpuMarks {
 public:
  GpuMarks(std::shared_ptr<const CudaLibrary> cuda, CudaStream stream)
      : cuda_(std::move(cuda)), stream_(stream) {}
  ~GpuMarks();
  GpuMarks(const GpuMarks&) = delete;
  GpuMarks& operator=(const GpuMarks&) = delete;

  // Throws Error.
  void add();
  // The seconds from each mark to the next, which then are forgotten. The stream must have reached
  // all of them. Throws Error.
  std::vector<double> between();

 private:
  std::shared_ptr<const CudaLibrary> cuda_;
  CudaStream stream_;
  std::vector<CudaEvent> events_;  // used again and again
  size_t used_ = 0;
};

}  // namespace slipway::bandwidth
