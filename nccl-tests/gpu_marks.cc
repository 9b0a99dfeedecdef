// Marks between the operations of a stream.
#include "nccl-tests/gpu_marks.h"

namespace slipway::bandwidth {

GpuMarks::~GpuMarks() {
  for (const CudaEvent event : events_) cuda_->cuEventDestroy_v2(event);
}

void GpuMarks::add() {
  if (used_ == events_.size()) {
    CudaEvent event = nullptr;
    cuda_->check_driver(cuda_->cuEventCreate(&event, 0), "cuEventCreate");
    events_.push_back(event);
  }
  cuda_->check_driver(cuda_->cuEventRecord(events_[used_++], stream_), "cuEventRecord");
}

std::vector<double> GpuMarks::between() {
  std::vector<double> seconds;
  for (size_t i = 1; i < used_; ++i) {
    float milliseconds = 0;
    cuda_->check_driver(cuda_->cuEventElapsedTime(&milliseconds, events_[i - 1], events_[i]),
                        "cuEventElapsedTime");
    seconds.push_back(milliseconds / 1e3);
  }
  used_ = 0;
  return seconds;
}

}  // namespace slipway::bandwidth
